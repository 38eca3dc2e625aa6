import type { CommunicationType, Failure, OutsideType } from '@ops/contracts/resources/communication';
import type { MessagingTemplate } from '@ops/contracts/resources/messaging-template';
import { storable } from '@ops/contracts/text';

export type OutboundProvider = 'cloud-api' | 'twilio' | 'smtp';

export interface FileToSend {
  name: string;
  media_type: string;
  content: Buffer;
}

/** All a provider is told of a record. The type is any: refusing what must not leave is every sender's own business. */
export interface OutgoingMessage {
  type: CommunicationType;
  communication_id: string;
  to: string | null;
  user_id: string | null;
  subject: string | null;
  body: string;
  attachments: FileToSend[];
  thread: { external_id: string | null; references: string[] };
  locale: string | null;
  window_open_until: string | null;
  /** Chosen by whoever wrote it, for when the window is closed. */
  template: MessagingTemplate | null;
  automated: boolean;
}

/** Why in our words, and what the provider said. */
type Said = Pick<Failure, 'message' | 'detail'>;

/**
 * What came of one try.
 * - `accepted`: the provider said so. Its id is null when it was cut off before we could read it.
 * - `refused`: it never will be; the code is ours or the provider's.
 * - `not_taken`: proven not to have been taken, so that trying again sends nothing twice. `reason` is for whoever looks
 *   into it, `message` for whoever wrote it.
 * - `uncertain`: everything else. It must not be tried again. `late`: because we stopped waiting for an answer.
 */
export type Outcome =
  | { kind: 'accepted'; providerMessageId: string | null }
  | ({ kind: 'refused' } & Failure)
  | ({ kind: 'not_taken'; reason: string; retryAfterMs?: number | undefined } & Partial<Said>)
  | { kind: 'uncertain'; reason: string; late?: boolean };

/** One channel's way out. It never throws for what a provider does, and never tries twice by itself. */
export interface Sender {
  provider: OutboundProvider;
  send(message: OutgoingMessage, attemptId: string): Promise<Outcome>;
}

export const refused = (code: string, message: string): Outcome => ({ kind: 'refused', code, message });

/** As a provider has it, who may say anything. */
export const refusedBy = ({ code, message, detail }: Failure): Outcome => ({
  kind: 'refused',
  code: storable(code.slice(0, 100)),
  message,
  ...cutDetail(detail),
});

export const notTakenBy = ({ message, detail }: Said, reason: string, retryAfterMs?: number): Outcome => ({
  kind: 'not_taken',
  reason,
  retryAfterMs,
  message,
  ...cutDetail(detail),
});

const cutDetail = (detail: string | undefined) => detail && { detail: storable(detail.slice(0, 500)) };

/** A note or call log that got this far is stopped here, by each sender for itself; so is another channel's message. */
export const refuseUnless = (type: OutsideType, message: OutgoingMessage): Outcome | undefined =>
  message.type === type ? undefined : refused('type_refused', `${message.type} is never sent as ${type}`);

export const noRecipient = refused('no_recipient', 'The customer has no address on this channel');
