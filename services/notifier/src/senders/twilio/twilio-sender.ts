import { smsFailure } from '@ops/providers/sms-failure.rules';
import { z } from 'zod';
import { exchange } from '../http-client.ts';
import { type AnswerReading, jsonOf, messageId, outcomeOf } from '../http-outcome.rules.ts';
import { noRecipient, type OutgoingMessage, refused, refuseUnless, type Sender } from '../sender.ts';

export interface TwilioSettings {
  baseUrl: string;
  accountSid: string;
  authToken: string;
  /** A number of ours, or the id of a messaging service. */
  from: string;
  /** Where receipts are to be sent; without it none come. */
  publicUrl: string | undefined;
  timeoutMs: number;
}

/** A sender may also be a name of up to 11 letters, digits and blanks. */
const serviceId = /^MG[0-9a-f]{32}$/i;

/** What Twilio takes in one message, however many segments it makes of it. */
const longestText = 1600;

export function createTwilioSender(settings: TwilioSettings, now: () => Date): Sender {
  const url = new URL(`/2010-04-01/Accounts/${settings.accountSid}/Messages.json`, settings.baseUrl).href;
  const credentials = Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString('base64');
  return {
    provider: 'twilio',
    async send(message, attemptId) {
      const refusal = refuseUnless('SMS', message);
      if (refusal) return refusal;
      if (!message.to) return noRecipient;
      if (message.body.length > longestText)
        return refused('text_too_long', `An SMS takes ${longestText} characters at most`);
      if (message.attachments.length > 0) return refused('no_files', 'An SMS takes no files');
      const answer = await exchange({
        url,
        method: 'POST',
        headers: { Authorization: `Basic ${credentials}`, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: Buffer.from(formOf(settings, message, message.to, attemptId).toString()),
        timeoutMs: settings.timeoutMs,
      });
      return outcomeOf('twilio', answer, readAnswer, now());
    },
  };
}

function formOf(settings: TwilioSettings, message: OutgoingMessage, to: string, attemptId: string): URLSearchParams {
  const form = new URLSearchParams({ To: to, Body: message.body });
  form.set(serviceId.test(settings.from) ? 'MessagingServiceSid' : 'From', settings.from);
  if (settings.publicUrl)
    form.set('StatusCallback', new URL(`/webhooks/sms?attempt=${attemptId}`, settings.publicUrl).href);
  return form;
}

const taken = z.looseObject({ sid: messageId });
const problem = z.looseObject({ code: z.union([z.number(), z.string()]), message: z.string().catch('') });

function readAnswer(body: string): AnswerReading {
  const json = jsonOf(body);
  const said = problem.safeParse(json).data;
  return {
    messageId: taken.safeParse(json).data?.sid ?? null,
    failure: said ? smsFailure(String(said.code), said.message) : null,
    throttled: false,
  };
}
