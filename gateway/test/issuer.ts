import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

/** A key the issuer may or may not publish. */
export interface TestKey {
  alg: string;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

export async function makeKey(alg: string, kid: string): Promise<TestKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export interface TestIssuer {
  url: string;
  keys: TestKey[];
  /** How often each path was asked for. */
  asked: Record<string, number>;
  /** What it says of itself besides its addresses. */
  metadata: Record<string, unknown>;
  /** What it answers to whoever brings a code. */
  tokens: Record<string, unknown>;
  /** Stops answering, as when the provider is restarted. */
  down(): Promise<void>;
  up(): Promise<void>;
  /** A good access token, unless claims, header or key say otherwise; a claim given as undefined is left out. */
  token(claims?: JWTPayload, header?: Record<string, unknown>, key?: TestKey): Promise<string>;
}

/** The smallest OpenID provider whose keys a test holds: discovery, keys, and tokens as the test made them. */
export async function startTestIssuer(): Promise<TestIssuer> {
  const asked: Record<string, number> = {};
  const keys = [await makeKey('RS256', 'first')];
  const [metadata, tokens] = [{}, {}];
  let server = createServer();
  let port = 0;

  const answer: RequestListener = (req, res) => {
    const path = req.url ?? '';
    asked[path] = (asked[path] ?? 0) + 1;
    const document = documents(`http://127.0.0.1:${port}`, keys, metadata, tokens)[path];
    res.writeHead(document ? 200 : 404, { 'Content-Type': 'application/json' }).end(JSON.stringify(document ?? {}));
  };
  const listen = async () => {
    server = createServer(answer).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  port = (server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    keys,
    asked,
    metadata,
    tokens,
    up: listen,
    down: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    token(claims = {}, header = {}, key = keys[0] as TestKey) {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: url,
        aud: 'ops-api',
        sub: 'somebody',
        roles: ['staff'],
        iat: now,
        exp: now + 600,
        ...claims,
      };
      return new SignJWT(JSON.parse(JSON.stringify(payload)))
        .setProtectedHeader({ alg: key.alg, kid: key.publicJwk.kid as string, typ: 'at+jwt', ...header })
        .sign(key.privateKey, header.crit ? { crit: { 'urn:unknown': true } } : {});
    },
  };
}

const documents = (url: string, keys: TestKey[], metadata: object, tokens: object): Record<string, unknown> => ({
  '/.well-known/openid-configuration': {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    ...metadata,
  },
  '/token': tokens,
  '/jwks': { keys: keys.map(({ publicJwk }) => publicJwk) },
});
