import type { Provider } from '../provider.ts';
import { readCallback } from './callback.rules.ts';
import { readForm } from './form.rules.ts';
import { verify } from './twilio-signature.ts';

export interface TwilioOptions {
  /** Two while one replaces the other. */
  authTokens: readonly string[] | undefined;
  /** Where Twilio calls us: it signs the address it calls, which is not the one this process hears. */
  publicUrl: string | undefined;
}

export const createTwilio = ({ authTokens = [], publicUrl }: TwilioOptions): Provider => ({
  name: 'twilio',
  webhookPath: '/webhooks/sms',
  /** Anything else would be sent to the customer as a text. */
  answer: { mediaType: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response/>' },
  proof: 'body',
  turnsAway: (headers) => {
    if (authTokens.length === 0) return 'SMS_AUTH_TOKEN is not set';
    if (publicUrl === undefined) return 'PUBLIC_URL is not set';
    return headers['x-twilio-signature'] ? undefined : 'it carries no signature';
  },
  verify: (request) => verify(request, authTokens, publicUrl),
  read: async (request) => readCallback(readForm(request.body), request),
});
