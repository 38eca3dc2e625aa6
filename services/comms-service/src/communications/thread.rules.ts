import type { EventData } from '@ops/contracts/events';
import type { CommunicationType, CreateCommunication } from '@ops/contracts/resources/communication';
import type { HeldRecord } from '../records/record.rules.ts';
import type { Answered } from './communication.rules.ts';

type Thread = EventData<'communication.queued'>['thread'];

/** An answer stays with its customer and its channel. */
export const mayAnswer = (answered: HeldRecord | undefined, customerId: string, type: CommunicationType): boolean =>
  answered?.customer_id === customerId && answered.type === type;

/** What is said about a renewal is answered about the same renewal; an e-mail keeps the subject it answers. */
export function takeFrom(answered: HeldRecord | undefined, input: CreateCommunication): Answered {
  const subject = input.subject ?? (input.direction === 'OUTBOUND' ? replySubject(answered?.subject ?? null) : null);
  return { in_reply_to: answered?.id ?? null, subject, renewal_ids: answered?.renewal_ids ?? [] };
}

const longestSubject = 998;
/** As mail programs write it in the languages around here. */
const marked = /^\s*(re|aw|antw|antwort|sv|vs|odp|r|rif|ref|回复|答复)\s*(\[\d+\])?\s*[:：]/i;

function replySubject(subject: string | null): string | null {
  if (!subject) return null;
  return (marked.test(subject) ? subject : `Re: ${subject}`).slice(0, longestSubject).toWellFormed();
}

/** An e-mail without a Message-ID is known by a digest, which means nothing to a mail program. */
const meansSomething = (type: CommunicationType, id: string) => type !== 'EMAIL' || /^<[^<>\s]+>$/.test(id);

/** From the ids of what is answered: the newest last, as e-mails refer to them. */
export function threadOf(type: CommunicationType, answered: { step: number; provider_message_id: string }[]): Thread {
  const known = answered.filter((one) => meansSomething(type, one.provider_message_id));
  const references = known.sort((a, b) => b.step - a.step).map((one) => one.provider_message_id);
  return { external_id: known.find((one) => one.step === 1)?.provider_message_id ?? null, references };
}
