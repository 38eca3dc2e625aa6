import { attemptId } from '../../attempt-id.ts';
import { occurredAt } from '../../occurred-at.ts';
import type { Item, ReceiptData } from '../../provider.ts';
import { dateOf } from './date.ts';
import type { Mail, MailFile } from './mail.ts';
import { answeredIdsOf } from './message-ids.ts';

const reports = ['message/delivery-status', 'message/global-delivery-status'];
const originals = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers'];

/** As much of a report as can matter. */
const mostReport = 64 * 1024;

type Common = Pick<ReceiptData, 'provider' | 'account' | 'external_id' | 'attempt_id' | 'occurred_at'>;

/** What a mail server tells of a mail of ours; undefined for any other mail, a report about others' mails among them. */
export function bounceOf(mail: Mail, account: string, receivedAt: Date): Item | undefined {
  const recipients = mail.files.filter(({ mediaType }) => reports.includes(mediaType)).flatMap(recipientsOf);
  if (recipients.length === 0) return undefined;
  const ours = sentByUs([...mail.files.flatMap(originalIdOf), ...answeredIdsOf(mail)]);
  if (ours === undefined) return undefined;
  const occurred_at = occurredAt(dateOf(mail), receivedAt);
  return verdictOf(recipients, { provider: 'smtp', account, occurred_at, ...ours });
}

function verdictOf(recipients: readonly Recipient[], common: Common): Item {
  const failed = recipients.find(({ action }) => action === 'failed');
  if (failed) return { receipt: { ...common, status: 'FAILED', failure: failureOf(failed) } };
  if (recipients.some(({ action }) => action === 'delivered'))
    return { receipt: { ...common, status: 'DELIVERED', failure: null } };
  const action = recipients.map((recipient) => recipient.action).join(', ');
  return { notUnderstood: `The mail is ${action}, which is no end`, kind: 'receipt', external_id: common.external_id };
}

interface Recipient {
  action: string;
  status: string | undefined;
  diagnostic: string | undefined;
}

/** One block of fields for the report, then one for each recipient. */
const recipientsOf = ({ bytes }: MailFile): Recipient[] =>
  text(bytes)
    .split(/\r?\n[ \t]*\r?\n/)
    .flatMap((block) => {
      const action = fieldOf(block, 'Action')?.toLowerCase();
      return action
        ? [{ action, status: fieldOf(block, 'Status'), diagnostic: fieldOf(block, 'Diagnostic-Code') }]
        : [];
    });

const originalIdOf = ({ mediaType, bytes }: MailFile): string[] => {
  if (!originals.includes(mediaType)) return [];
  const id = fieldOf(text(bytes), 'Message-ID');
  return id === undefined ? [] : [id];
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, mostReport)).toString('utf8');

function fieldOf(block: string, name: string): string | undefined {
  const [, value] = new RegExp(`^${name}:([^\\r\\n]*(?:\\r?\\n[ \\t][^\\r\\n]*)*)`, 'im').exec(block) ?? [];
  return value?.replace(/\s+/g, ' ').trim() || undefined;
}

/** Ours bear the id of their attempt, which is of version 7; other programs write random ones. */
function sentByUs(ids: readonly string[]): Pick<ReceiptData, 'external_id' | 'attempt_id'> | undefined {
  for (const id of ids) {
    const [, external_id = '', uuid] = /(<([0-9a-f-]{14}7[0-9a-f-]{21})@[^<>\s]+>)/.exec(id) ?? [];
    const attempt_id = attemptId(uuid);
    if (attempt_id !== null) return { external_id, attempt_id };
  }
  return undefined;
}

function failureOf({ status, diagnostic }: Recipient): ReceiptData['failure'] {
  const [code] = /\b[45]\d\d\b/.exec(diagnostic ?? '') ?? [];
  const [enhanced] = /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(status ?? '') ?? [];
  const message = diagnostic?.replace(/^smtp;\s*/i, '') ?? (enhanced && `Status ${enhanced}`);
  return { code: `smtp:${code ?? enhanced ?? 'unknown'}`, message: message ?? 'The mail server gives no reason' };
}
