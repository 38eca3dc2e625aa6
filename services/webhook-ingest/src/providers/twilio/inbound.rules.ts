import { cannotShow, fileAt, placeLines, placeOf } from '../human-form.rules.ts';
import { interactiveOf } from '../interactive.rules.ts';
import { phoneOf, userIdOf } from '../person.rules.ts';
import { preferenceItem } from '../preference.rules.ts';
import { type Item, type MessageData, usual } from '../provider.ts';
import { fields, jsonText } from '../untrusted.rules.ts';

/** Twilio names another channel before the address: `whatsapp:+44...`. Without one it is a text message. */
const addressForm = /^(?:([a-z]+):)?(.*)$/s;
const appChannels = ['whatsapp', 'messenger'];

export function readInbound(form: URLSearchParams, sid: string, receivedAt: Date): Item {
  const { channel, sender_key, sender } = personAt(
    form.get('From'),
    { name: form.get('ProfileName'), id: form.get('ExternalUserId') },
    sid,
  );
  return {
    message: {
      provider: 'twilio',
      account: form.get('To') || form.get('MessagingServiceSid') || form.get('AccountSid') || '',
      kind: 'message',
      channel,
      external_id: sid,
      occurred_at: receivedAt.toISOString(),
      claimed_at: null,
      sender_key,
      sender,
      recipient: form.get('To'),
      subject: null,
      body: bodyOf(form),
      parts: mediaOf(form),
      answers: { external_ids: [form.get('OriginalRepliedMessageSid') ?? ''].filter(Boolean), token: null },
      target_external_id: null,
      emoji: null,
      new_identity: null,
      automatic: false,
      ...usual,
      place: placeOf(pointIn(form)),
      forwarded: form.get('Forwarded') === 'true' || form.get('FrequentlyForwarded') === 'true',
      opted_out: optedOut(form.get('OptOutType')),
    },
  };
}

/** What Twilio made of the message, by the keywords of the account; it asks for help without deciding anything. */
const optedOut = (type: string | null): boolean | null => (type === 'STOP' ? true : type === 'START' ? false : null);

/** Our message was refused because its recipient unsubscribed, or by the app because of something they did there. */
const refusals = ['21610', '63014'];

/** A receipt may say why: then it tells of its recipient as well. */
export function readRefusal(form: URLSearchParams, sid: string, receivedAt: Date): Item[] {
  if (!refusals.includes(form.get('ErrorCode') ?? '')) return [];
  const person = personAt(form.get('To'), { name: null, id: null }, sid);
  const message = { provider: 'twilio', account: form.get('From') || form.get('AccountSid') || '' } as const;
  const occurred_at = receivedAt.toISOString();
  return [preferenceItem({ ...message, ...person, external_id: sid, occurred_at, opted_out: true })];
}

/** What else Twilio says of somebody besides the address. */
interface Named {
  name: string | null;
  id: string | null;
}

type Person = Pick<MessageData, 'channel' | 'sender_key' | 'sender'>;

/** A short code or a name in letters is an address, and no phone. */
function personAt(given: string | null, { name, id }: Named, sid: string): Person {
  const [, prefix = '', address = ''] = addressForm.exec(given ?? '') ?? [];
  const channel = appChannels.includes(prefix) ? 'MESSAGING_APP' : 'SMS';
  const sender = {
    address: given || 'unknown',
    phone: address.startsWith('+') ? phoneOf(address) : null,
    email: null,
    user_id: userIdOf(address) ?? userIdOf(id ?? undefined),
    name: name || null,
  };
  return {
    channel,
    sender,
    sender_key: `${channel}:${sender.phone ?? sender.user_id ?? (address || `unknown:${sid}`)}`,
  };
}

/** The words, what was chosen or filled in, and the place; what a message without all of these is, where nothing shows it. */
function bodyOf(form: URLSearchParams): string {
  const chosen = ['Body', 'ButtonText', 'ListTitle', 'ListDescription'].flatMap((name) => form.get(name) || []);
  const said = [...new Set(chosen), ...answers(form.get('InteractiveData')), ...placeLines(pointIn(form))].join('\n');
  return said === '' && mediaOf(form).length === 0 ? nothing(form.get('MessageType') || 'text') : said;
}

/** The provider hands no files of a form over: their names tell that there were some. */
function answers(given: string | null): string[] {
  if (!given) return [];
  const data = jsonText(given);
  return data === undefined ? [given] : [interactiveOf(fields(data))?.body ?? ''].filter(Boolean);
}

/** It names a place by its coordinates alone; a label may stand at anything. */
const pointIn = (form: URLSearchParams) =>
  form.get('Latitude') && form.get('Longitude')
    ? {
        name: form.get('Label') || undefined,
        address: form.get('Address') || undefined,
        latitude: form.get('Latitude') ?? undefined,
        longitude: form.get('Longitude') ?? undefined,
      }
    : {};

const nothing = (type: string): string => (type === 'text' ? 'Sent an empty message' : cannotShow(type));

const mostMedia = 100;

/** Twilio keeps the files; they are fetched from there later. */
function mediaOf(form: URLSearchParams): MessageData['parts'] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, mostMedia);
  return Array.from({ length: count }, (_, n) => n).flatMap((n) => {
    const ref = form.get(`MediaUrl${n}`);
    return ref ? [fileAt(ref, form.get(`MediaContentType${n}`) ?? undefined)] : [];
  });
}
