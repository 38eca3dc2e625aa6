import { mailFailure } from '@ops/providers/mail-failure.rules';
import { attemptId } from '../../attempt-id.rules.ts';
import { occurredAt } from '../../occurred-at.rules.ts';
import type { Item, ReceiptData } from '../../provider.ts';
import { emailOf } from './address-reader.ts';
import { dateOf } from './date.rules.ts';
import type { Mail, MailFile } from './mail.rules.ts';
import { answeredIdsOf } from './message-ids.rules.ts';

const reports = ['message/delivery-status', 'message/global-delivery-status'];
const originals = ['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers'];

/** As much of a report as can matter. */
const mostReport = 64 * 1024;

type Common = Pick<ReceiptData, 'provider' | 'account' | 'external_id' | 'attempt_id' | 'occurred_at'>;

/**
 * What a mail server tells of a mail of ours; undefined for any other mail, a report about others' mails among them, and one
 * that does not say whom it could not reach: it may be anybody's.
 */
export function bounceOf(mail: Mail, account: string, receivedAt: Date): Item | undefined {
  const recipients = mail.files.filter(({ mediaType }) => reports.includes(mediaType)).flatMap(recipientsOf);
  if (recipients.length === 0) return undefined;
  const ours = sentByUs([...mail.files.flatMap(originalIdOf), ...answeredIdsOf(mail)]);
  if (ours === undefined) return undefined;
  const occurred_at = occurredAt(dateOf(mail), receivedAt);
  return verdictOf(recipients, { provider: 'smtp', account, occurred_at, ...ours });
}

function verdictOf(recipients: readonly Recipient[], common: Common): Item {
  const end = (wanted: string) => recipients.find(({ action }) => action === wanted);
  const [failed, delivered] = [end('failed'), end('delivered')];
  if (failed)
    return {
      receipt: {
        ...common,
        status: 'FAILED',
        failure: mailFailure({ status: failed.status, words: failed.diagnostic }),
        recipients: failed.addresses,
      },
    };
  if (delivered) return { receipt: { ...common, status: 'DELIVERED', failure: null, recipients: delivered.addresses } };
  const action = recipients.map((recipient) => recipient.action).join(', ');
  return { notUnderstood: `The mail is ${action}, which is no end`, kind: 'receipt', external_id: common.external_id };
}

interface Recipient {
  action: string;
  /** As the mail server knows them, and as they were given to it. */
  addresses: string[];
  status: string | undefined;
  diagnostic: string | undefined;
}

/** One block of fields for the report, then one for each recipient. */
const recipientsOf = ({ bytes }: MailFile): Recipient[] =>
  text(bytes)
    .split(/\r?\n[ \t]*\r?\n/)
    .flatMap((block) => {
      const action = fieldOf(block, 'Action')?.toLowerCase();
      const addresses = ['Final-Recipient', 'Original-Recipient'].flatMap((name) => addressIn(fieldOf(block, name)));
      if (action === undefined || addresses.length === 0) return [];
      return [{ action, addresses, status: fieldOf(block, 'Status'), diagnostic: fieldOf(block, 'Diagnostic-Code') }];
    });

/** `rfc822; ada@example.com` */
const addressIn = (field: string | undefined): string[] => {
  const address = emailOf(field?.slice(field.indexOf(';') + 1).replace(/^\s*<|>\s*$/g, ''));
  return address === null ? [] : [address];
};

export const originalIdOf = ({ mediaType, bytes }: MailFile): string[] => {
  if (!originals.includes(mediaType)) return [];
  const id = fieldOf(text(bytes), 'Message-ID');
  return id === undefined ? [] : [id];
};

export const text = (bytes: Uint8Array): string => Buffer.from(bytes.subarray(0, mostReport)).toString('utf8');

export function fieldOf(block: string, name: string): string | undefined {
  const [, value] = new RegExp(`^${name}:([^\\r\\n]*(?:\\r?\\n[ \\t][^\\r\\n]*)*)`, 'im').exec(block) ?? [];
  return value?.replace(/\s+/g, ' ').trim() || undefined;
}

/**
 * Whether one of these ids is of a mail of ours: those bear the id of their attempt, which is of version 7, while other
 * programs write random ones.
 */
export function sentByUs(ids: readonly string[]): Pick<ReceiptData, 'external_id' | 'attempt_id'> | undefined {
  for (const id of ids) {
    const [, external_id = '', uuid] = /(<([0-9a-f-]{14}7[0-9a-f-]{21})@[^<>\s]+>)/.exec(id) ?? [];
    const attempt_id = attemptId(uuid);
    if (attempt_id !== null) return { external_id, attempt_id };
  }
  return undefined;
}
