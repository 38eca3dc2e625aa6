import { readRawMail } from '../src/providers/email/mail/raw-mail-reader.ts';
import type { Arrival } from '../src/providers/email/mail/reading.rules.ts';
import type { MessageData, Reading } from '../src/providers/provider.ts';

export const receivedAt = new Date('2026-05-05T10:00:00.000Z');

let made = 0;
export const newId = (): string => `00000000-0000-7000-8000-${String(++made).padStart(12, '0')}`;

const arrival = (more: Partial<Arrival> = {}): Arrival => ({
  provider: 'mime',
  envelope: { recipients: [], sender: null },
  receivedAt,
  newId,
  ...more,
});

const usual = {
  From: 'Ada Example <Ada@Example.com>',
  To: 'Office <office@firm.example>',
  Subject: 'My permit',
  Date: 'Tue, 5 May 2026 09:00:00 +0000',
  'Message-ID': '<m-1@example.com>',
};

/** A mail as it travels; `undefined` leaves a header out. */
export const mailOf = (headers: Record<string, string | undefined> = {}, body = 'Hello\r\n'): Buffer => {
  const lines = Object.entries({ ...usual, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
};

/** Parts with their own headers, between boundaries. */
export const multipart = (...parts: string[]): string =>
  `${parts.map((part) => `--limit\r\n${part}\r\n`).join('')}--limit--\r\n`;

export const read = (mail: Buffer, more?: Partial<Arrival>): Promise<Reading> => readRawMail(mail, arrival(more));

export function messageIn({ items }: Reading): MessageData {
  const [item] = items;
  if (items.length !== 1 || !item || !('message' in item)) throw new Error('There is not one message in it');
  return item.message;
}

export const readMessage = async (mail: Buffer, more?: Partial<Arrival>): Promise<MessageData> =>
  messageIn(await read(mail, more));

export const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
