import { z } from 'zod';

/** What the outside world is made of. Everything that happens in it is a fact; facts are kept, in order. */
export const channel = z.enum(['MESSAGING_APP', 'SMS', 'EMAIL']);
export type Channel = z.infer<typeof channel>;

const person = z.object({
  id: z.string(),
  name: z.string(),
  /** `+` and digits. */
  phone: z.string().nullable(),
  /** Of the messaging app, for somebody who shows no phone there. */
  user_id: z.string().nullable(),
  email: z.string().nullable(),
});
export type Person = z.infer<typeof person>;

const file = z.object({ id: z.string(), name: z.string(), media_type: z.string(), size: z.int() });
export type StoredFile = z.infer<typeof file>;

/** Envelope and threading of an e-mail. */
const mail = z.object({
  from: z.string(),
  to: z.string(),
  reply_to: z.string().nullable(),
  references: z.array(z.string()),
});

export const receiptStatus = z.enum(['sent', 'delivered', 'read', 'failed']);
export type ReceiptStatus = z.infer<typeof receiptStatus>;

const message = z.object({
  id: z.string(),
  channel,
  from_firm: z.boolean(),
  person: z.string(),
  /** The provider's id; the Message-ID of an e-mail. */
  external_id: z.string(),
  at: z.iso.datetime(),
  subject: z.string().nullable(),
  text: z.string(),
  html: z.string().nullable(),
  files: z.array(file),
  /** The external id of what it answers. */
  reply_to: z.string().nullable(),
  /** What the firm gave along to know its own attempt by, as it was given. */
  mark: z.string().nullable(),
  template: z.string().nullable(),
  mail: mail.nullable(),
});
export type SentMessage = z.infer<typeof message>;

/** What becomes of one request to send. */
const fate = z.enum(['taken', 'fail', 'throttle', 'hang', 'cut', 'delay']);
export type Fate = z.infer<typeof fate>;

/** A provider was asked to carry something, and what it made of that. */
const asked = z.object({
  channel,
  /** As on the message; null where the request ended before it was said. */
  mark: z.string().nullable(),
  fate,
  at: z.iso.datetime(),
});
export type Asked = z.infer<typeof asked>;

/** A request to the firm's webhook that has to be delivered; the same bytes each time. */
const hook = z.object({
  id: z.string(),
  /** What the person wrote, if the hook tells of that. */
  message_id: z.string().nullable(),
  /** Of one key, each waits for the one before. */
  key: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  /** The text itself, or the file that holds it. */
  body: z.union([z.object({ text: z.string() }), z.object({ file: z.string() })]),
});
export type Hook = z.infer<typeof hook>;

export const fact = z.discriminatedUnion('fact', [
  z.object({ fact: z.literal('person'), person }),
  z.object({ fact: z.literal('asked'), asked }),
  z.object({ fact: z.literal('message'), message }),
  z.object({ fact: z.literal('receipt'), message_id: z.string(), status: receiptStatus, at: z.iso.datetime() }),
  z.object({
    fact: z.literal('reaction'),
    message_id: z.string(),
    by_firm: z.boolean(),
    emoji: z.string().nullable(),
  }),
  z.object({ fact: z.literal('changed'), message_id: z.string(), text: z.string().nullable() }),
  z.object({ fact: z.literal('seen'), message_ids: z.array(z.string()) }),
  z.object({ fact: z.literal('hook'), hook }),
  /** Taken by the firm, or given up. */
  z.object({ fact: z.literal('hook_done'), id: z.string(), message_id: z.string().nullable(), taken: z.boolean() }),
]);
export type Fact = z.infer<typeof fact>;

/** A message with all that became of it. */
export interface Message extends SentMessage {
  receipts: { status: ReceiptStatus; at: string }[];
  reactions: { by_firm: boolean; emoji: string }[];
  edited: boolean;
  withdrawn: boolean;
  /** The firm has it. */
  arrived: boolean;
  /** Looked at by the person. */
  seen: boolean;
}
