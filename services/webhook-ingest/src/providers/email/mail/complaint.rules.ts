import { preferenceItem } from '../../preference.rules.ts';
import type { Item, MessageData } from '../../provider.ts';
import { emailOf, mailboxesOf } from './address-reader.ts';
import { fieldOf, originalIdOf, sentByUs, text } from './bounce.rules.ts';
import type { Mail, MailFile } from './mail.rules.ts';

/** What a reader presses in their mail program; that something was taken for spam or for none by a machine is no wish of theirs. */
const wishes = ['abuse', 'opt-out'];

/**
 * A provider of mailboxes tells that a mail of ours was complained about (RFC 5965). It must name the mail, which only who got
 * it can do, and whose mailbox it was; anything else is a mail like any other.
 */
export function complaintOf(mail: Mail, { provider, account, occurred_at }: MessageData): Item[] {
  const report = mail.files.find(({ mediaType }) => mediaType === 'message/feedback-report');
  const ours = sentByUs(mail.files.flatMap(originalIdOf));
  if (!report || !ours || !isWish(report)) return [];
  const email = complainer(report);
  if (email === null) return [];
  const { external_id } = ours;
  const sender = { address: email, phone: null, email, user_id: null, name: null };
  const told = { provider, account, channel: 'EMAIL', occurred_at, sender_key: `EMAIL:${email}` } as const;
  return [preferenceItem({ ...told, external_id, sender, opted_out: true }, [external_id])];
}

const isWish = ({ bytes }: MailFile) => wishes.includes(fieldOf(text(bytes), 'Feedback-Type')?.toLowerCase() ?? '');

function complainer({ bytes }: MailFile): string | null {
  const [named] = mailboxesOf([fieldOf(text(bytes), 'Original-Rcpt-To') ?? '']);
  return emailOf(named?.address);
}
