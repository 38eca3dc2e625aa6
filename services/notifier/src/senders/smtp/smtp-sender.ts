import { mailFailure } from '@ops/providers/mail-failure.rules';
import { noRecipient, notTakenBy, type Outcome, refused, refusedBy, refuseUnless, type Sender } from '../sender.ts';
import { buildMail, type Mailbox, messageIdOf } from './mail-writer.ts';
import { type Transmission, transmit } from './smtp-client.ts';

export interface SmtpSettings {
  url: string;
  from: Mailbox;
  timeoutMs: number;
}

export function createSmtpSender(settings: SmtpSettings): Sender {
  const { url, from, timeoutMs } = settings;
  return {
    provider: 'smtp',
    async send(message, attemptId) {
      const refusal = refuseUnless('EMAIL', message);
      if (refusal) return refusal;
      if (!message.to) return noRecipient;
      if (!isAddress(message.to)) return refused('no_address', 'The customer’s e-mail address is none');
      const { envelope, content } = await buildMail(from, message, message.to, attemptId);
      const sent = await transmit(url, envelope, content, timeoutMs);
      return outcomeOf(sent, messageIdOf(from, attemptId));
    },
  };
}

/** Whether it is one address and no more, whatever a header or an envelope would make of it. */
const isAddress = (to: string) => /^[^\s<>@,;]+@[^\s<>@,;]+$/.test(to);

/** Wrong in what we gave it, before any server was asked. */
const ownFaults = ['EENVELOPE', 'EMESSAGE', 'EAUTH', 'ENOAUTH', 'EREQUIRETLS'];

/**
 * A server that answers 4xx did not take the mail, at whatever point it says so (RFC 5321, 4.2.1): trying again is what
 * it asks for. Silence after the mail was handed over proves nothing.
 */
function outcomeOf(sent: Transmission, messageId: string): Outcome {
  if (sent.kind === 'taken') return { kind: 'accepted', providerMessageId: messageId };
  if (sent.kind === 'answered') {
    const failure = { ...mailFailure(sent), detail: sent.words };
    return sent.code < 500 ? notTakenBy(failure, `SMTP ${sent.code}`) : refusedBy(failure);
  }
  if (sent.handedOver) return { kind: 'uncertain', reason: sent.reason, late: sent.late };
  if (ownFaults.includes(sent.reason)) return refused(`smtp:${sent.reason}`, 'The mail server could not be given it');
  return { kind: 'not_taken', reason: sent.reason, message: 'The mail server could not be reached' };
}
