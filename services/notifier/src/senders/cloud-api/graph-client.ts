import type { MessagingTemplate } from '@ops/contracts/resources/messaging-template';
import { messagingFailure } from '@ops/providers/messaging-failure.rules';
import { z } from 'zod';
import { type Exchange, exchange } from '../http-client.ts';
import { type AnswerReading, jsonOf, messageId } from '../http-outcome.rules.ts';

export interface CloudApiSettings {
  /** With the version: `https://graph.facebook.com/v23.0`. */
  baseUrl: string;
  phoneNumberId: string;
  accessToken: string;
  templates: readonly MessagingTemplate[];
  /** Templates for messages nobody wrote; those of `templates`, if there are none. */
  alertTemplates?: readonly MessagingTemplate[];
  timeoutMs: number;
}

export interface GraphCall {
  edge: 'messages' | 'media';
  mediaType: string;
  body: Buffer;
  timeoutMs: number;
}

export const callGraph = (settings: CloudApiSettings, { edge, mediaType, body, timeoutMs }: GraphCall) =>
  exchange({
    url: `${settings.baseUrl.replace(/\/$/, '')}/${settings.phoneNumberId}/${edge}`,
    method: 'POST',
    headers: { Authorization: `Bearer ${settings.accessToken}`, 'Content-Type': mediaType },
    body,
    timeoutMs,
  }) satisfies Promise<Exchange>;

const taken = z.looseObject({ messages: z.array(z.looseObject({ id: messageId })).min(1) });
const problem = z.looseObject({
  error: z.looseObject({
    code: z.number(),
    message: z.string().optional(),
    error_data: z.looseObject({ details: z.string().optional() }).optional(),
  }),
});

/** Too many calls of the app, the account, the number, or to this one customer: said instead of taking the message. */
const throttlingCodes = [4, 80_007, 130_429, 131_056];

export function readAnswer(body: string): AnswerReading {
  const json = jsonOf(body);
  const error = problem.safeParse(json).data?.error;
  return {
    messageId: taken.safeParse(json).data?.messages[0]?.id ?? null,
    failure: error ? messagingFailure(String(error.code), error.error_data?.details ?? error.message) : null,
    throttled: error !== undefined && throttlingCodes.includes(error.code),
  };
}
