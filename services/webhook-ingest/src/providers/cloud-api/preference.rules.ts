import { occurredAt } from '../occurred-at.rules.ts';
import { preferenceItem } from '../preference.rules.ts';
import type { Item } from '../provider.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';
import { type Change, idByContent, timeOf } from './change.rules.ts';
import { senderKey, senderOf } from './sender.rules.ts';

const wishes: Record<string, boolean> = { stop: true, resume: false };

/** `user_preferences[]`: somebody stopped our offers in the settings of their app, or wants them again. */
export function readPreference(given: Fields, change: Change): Item {
  const wish = text(given.value) ?? 'none';
  const externalId = idByContent(given);
  if (!Object.hasOwn(wishes, wish))
    return { notUnderstood: `The preference ${wish} says nothing`, kind: 'preference', external_id: externalId };
  const person = { from: given.wa_id, from_user_id: given.user_id, timestamp: given.timestamp };
  return preferenceOf(person, change, externalId, wishes[wish] === true);
}

/** The recipient of our message has stopped those of their kind. */
const STOPPED = '131050';

/** A receipt may say why: then it tells of its recipient as well. */
export function readRefusal(given: Fields, change: Change): Item[] {
  const codes = list(given.errors).map((error) => text(fields(error).code));
  const externalId = text(given.id);
  if (externalId === undefined || !codes.includes(STOPPED)) return [];
  const { recipient_id: from, recipient_user_id: from_user_id, timestamp } = given;
  return [preferenceOf({ from, from_user_id, timestamp }, change, externalId, true)];
}

function preferenceOf(person: Fields, { account, value, receivedAt }: Change, external_id: string, opted_out: boolean) {
  const sender = senderOf(person, value);
  return preferenceItem({
    provider: 'cloud-api',
    account,
    channel: 'MESSAGING_APP',
    external_id,
    occurred_at: occurredAt(timeOf(person.timestamp), receivedAt),
    sender_key: senderKey(sender, external_id),
    sender,
    opted_out,
  });
}
