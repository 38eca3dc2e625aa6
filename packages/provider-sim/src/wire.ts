import type { Person, ReceiptStatus, SentMessage } from './message.ts';

/** A request to the firm's webhook, ready to go. Mail is bytes of any kind, the others are text. */
export interface HookRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** How one provider tells the firm what people outside do. Undefined: this provider has no way to say so. */
export interface Wire {
  /** An id as this provider gives them. */
  newExternalId(): string;
  wrote(message: SentMessage, person: Person): Promise<HookRequest>;
  receipt(message: SentMessage, person: Person, status: ReceiptStatus, code?: number): Promise<HookRequest | undefined>;
  reacted?(message: SentMessage, person: Person, emoji: string | null): HookRequest;
  /** null: took it back. */
  changed?(message: SentMessage, person: Person, text: string | null): HookRequest;
}

const pathOf = { MESSAGING_APP: '/webhooks/messaging-app', SMS: '/webhooks/sms', EMAIL: '/webhooks/email/mime' };
export const webhookUrl = (publicUrl: string, channel: keyof typeof pathOf): string =>
  publicUrl.replace(/\/$/, '') + pathOf[channel];
