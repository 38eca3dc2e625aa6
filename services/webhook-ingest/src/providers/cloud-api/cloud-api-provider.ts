import type { Provider, RawRequest, Verdict } from '../provider.ts';
import { hmac, sameBytes } from '../signature.ts';
import { readPayload } from './payload.rules.ts';

export interface CloudApiOptions {
  /** Two while one replaces the other. */
  appSecrets: readonly string[] | undefined;
  verifyTokens: readonly string[] | undefined;
}

/** The messaging app's cloud API: one app secret signs for all of its phone numbers. */
export const createCloudApi = ({ appSecrets = [], verifyTokens = [] }: CloudApiOptions): Provider => ({
  name: 'cloud-api',
  webhookPath: '/webhooks/messaging-app',
  proof: 'body',
  turnsAway: (headers) => {
    if (appSecrets.length === 0) return 'MESSAGING_APP_APP_SECRET is not set';
    return digestIn(headers) === undefined ? unsigned : undefined;
  },
  verify: (request) => verify(request, appSecrets),
  read: async ({ body, receivedAt }) => readPayload(body, receivedAt),
  challenge: (query) => answerChallenge(query, verifyTokens),
});

const signatureForm = /^sha256=([0-9a-f]{64})$/i;

const unsigned = 'it carries no signature';

const digestIn = (headers: RawRequest['headers']): string | undefined =>
  signatureForm.exec(headers['x-hub-signature-256'] ?? '')?.[1];

/** The digest may be written in capitals: it is compared as bytes. */
function verify({ headers, body }: RawRequest, secrets: readonly string[]): Verdict {
  const hex = digestIn(headers);
  if (hex === undefined) return { ok: false, reason: unsigned };
  const given = Buffer.from(hex, 'hex');
  const signed = secrets.some((secret) => sameBytes(hmac('sha256', secret, body), given));
  return signed ? { ok: true } : { ok: false, reason: 'its signature is not ours' };
}

function answerChallenge(query: URLSearchParams, tokens: readonly string[]): string | null {
  const given = Buffer.from(query.get('hub.verify_token') ?? '');
  const ours = tokens.some((token) => sameBytes(Buffer.from(token), given));
  return ours && query.get('hub.mode') === 'subscribe' ? query.get('hub.challenge') : null;
}
