import { whenSaid } from '../occurred-at.rules.ts';
import { phoneOf, userIdOf } from '../person.rules.ts';
import { type Item, type MessageData, usual } from '../provider.ts';
import { type Fields, fields, text } from '../untrusted.rules.ts';
import { type Change, idByContent, timeOf } from './change.rules.ts';
import { senderKey, senderOf } from './sender.rules.ts';

type Identity = NonNullable<MessageData['new_identity']>;

/** Of a `system` message: who the sender is from now on. */
export function identityAfter(message: Fields): Identity | null {
  const system = fields(message.system);
  const phone = phoneOf(text(system.new_wa_id) ?? text(system.wa_id));
  const user_id = userIdOf(text(system.user_id));
  return phone === null && user_id === null ? null : { phone, user_id };
}

/** One whose id changed may be named in the sentence alone: "... changed from US.1 to US.2". */
export function systemSender(message: Fields, value: Fields): MessageData['sender'] {
  const sender = senderOf(message, value);
  if (sender.address !== 'unknown') return sender;
  const system = fields(message.system);
  const [, before] = /\bchanged from (\S{1,200}) to \S/.exec(text(system.body) ?? '') ?? [];
  const user_id = userIdOf(before) ?? userIdOf(text(system.user_id));
  const phone = phoneOf(before);
  return { ...sender, address: phone ?? user_id ?? 'unknown', phone, user_id };
}

/** `user_id_update[]`: somebody's id at the messaging app was replaced; nobody wrote anything. */
export function readIdentityChange(update: Fields, { account, ourNumber, value, receivedAt }: Change): Item {
  const { previous, current } = fields(update.user_id);
  const sender = senderOf({ from: update.wa_id ?? previous }, value);
  const before = { ...sender, user_id: userIdOf(text(previous)) };
  const externalId = idByContent(update);
  return {
    message: {
      provider: 'cloud-api',
      account,
      kind: 'identity',
      channel: 'MESSAGING_APP',
      external_id: externalId,
      ...whenSaid(timeOf(update.timestamp), receivedAt),
      sender_key: senderKey(before, externalId),
      sender: before,
      recipient: ourNumber,
      subject: null,
      body: text(update.detail) ?? '',
      parts: [],
      answers: { external_ids: [], token: null },
      target_external_id: null,
      emoji: null,
      automatic: true,
      ...usual,
      new_identity: { phone: phoneOf(text(update.wa_id)), user_id: userIdOf(text(current)) },
    },
  };
}
