import { phoneOf, userIdOf } from '../person.ts';
import type { Item, MessageData } from '../provider.ts';

/** Twilio names another channel before the address: `whatsapp:+44...`. Without one it is a text message. */
const addressForm = /^(?:([a-z]+):)?(.*)$/s;
const appChannels = ['whatsapp', 'messenger'];

export function readInbound(form: URLSearchParams, sid: string, receivedAt: Date): Item {
  const [, prefix = '', rest = ''] = addressForm.exec(form.get('From') ?? '') ?? [];
  const channel = appChannels.includes(prefix) ? 'MESSAGING_APP' : 'SMS';
  const sender = senderOf(form, rest);
  const who = sender.phone ?? sender.user_id ?? (rest || `unknown:${sid}`);
  return {
    message: {
      provider: 'twilio',
      account: form.get('To') || form.get('MessagingServiceSid') || form.get('AccountSid') || '',
      kind: 'message',
      channel,
      external_id: sid,
      occurred_at: receivedAt.toISOString(),
      sender_key: `${channel}:${who}`,
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
    },
  };
}

/** A short code or a name in letters is an address, and no phone. */
function senderOf(form: URLSearchParams, address: string): MessageData['sender'] {
  return {
    address: form.get('From') || 'unknown',
    phone: address.startsWith('+') ? phoneOf(address) : null,
    email: null,
    user_id: userIdOf(address),
    name: form.get('ProfileName') || null,
  };
}

function bodyOf(form: URLSearchParams): string {
  const said = form.get('Body') || form.get('ButtonText') || '';
  const [latitude, longitude] = [form.get('Latitude'), form.get('Longitude')];
  if (!latitude || !longitude) return said;
  const place = [form.get('Label'), form.get('Address'), `${latitude}, ${longitude}`];
  return [said, 'Location:', ...place].filter(Boolean).join('\n');
}

const mostMedia = 100;

/** Twilio keeps the files; they are fetched from there later. */
function mediaOf(form: URLSearchParams): MessageData['parts'] {
  const count = Math.min(Number(form.get('NumMedia')) || 0, mostMedia);
  return Array.from({ length: count }, (_, n) => n).flatMap((n) => {
    const ref = form.get(`MediaUrl${n}`);
    const media_type = form.get(`MediaContentType${n}`) ?? 'application/octet-stream';
    const file = { source: 'provider', role: 'file', name: null, size: null, content_id: null } as const;
    return ref ? [{ ...file, ref, media_type }] : [];
  });
}
