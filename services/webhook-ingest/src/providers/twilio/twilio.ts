import type { Provider } from '../provider.ts';
import { readCallback } from './callback.ts';
import { readForm } from './form.ts';
import { verify } from './verify.ts';

export interface TwilioOptions {
  /** Two while one replaces the other. */
  authTokens: readonly string[] | undefined;
  /** Where Twilio calls us: it signs the address it calls, which is not the one this process hears. */
  publicUrl: string | undefined;
}

export const createTwilio = ({ authTokens = [], publicUrl }: TwilioOptions): Provider => ({
  name: 'twilio',
  webhookPath: '/webhooks/sms',
  mostBytes: 1024 * 1024,
  /** Anything else would be sent to the customer as a text. */
  answer: { mediaType: 'text/xml', body: '<?xml version="1.0" encoding="UTF-8"?><Response/>' },
  verify: (request) => verify(request, authTokens, publicUrl),
  read: async (request) => readCallback(readForm(request.body), request),
});
