import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export interface TestIdentityProvider {
  issuer: string;
  /** Its settings for the gateway. */
  env: NodeJS.ProcessEnv;
  /** Starts the process, which has to know where it sends browsers back to. */
  start(gatewayUrl: string): Promise<void>;
  token(role: string, sub?: string): Promise<string>;
  /** What it wrote so far. */
  output(): string;
  stop(): Promise<void>;
  /** Ends it for good, its keys included. */
  discard(): Promise<void>;
}

const entry = fileURLToPath(new URL('../../packages/dev-idp/src/main.ts', import.meta.url));
const clientSecret = 'a secret of the gateway';
const tokenSecret = 'a secret of the token client';

/** The local identity provider as its own process, as `npm start` runs it. */
export async function prepareIdentityProvider(): Promise<TestIdentityProvider> {
  const port = await freePort();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'dev-idp-'));
  const issuer = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let output = '';
  const stop = async () => {
    if (!child || child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return {
    issuer,
    env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'ops-gateway', OIDC_CLIENT_SECRET: clientSecret },
    async start(gatewayUrl) {
      const env = {
        ...process.env,
        PORT: String(port),
        ISSUER: issuer,
        DATA_DIR: path.join(dataDir, 'keys'),
        GATEWAY_URL: gatewayUrl,
        CLIENT_ID: 'ops-gateway',
        CLIENT_SECRET: clientSecret,
        TOKEN_CLIENT_ID: 'ops-token',
        TOKEN_CLIENT_SECRET: tokenSecret,
      };
      child = fork(entry, { env, execArgv: [], silent: true });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      await Promise.race([once(child, 'message'), once(child, 'exit').then(() => Promise.reject(new Error(output)))]);
    },
    async token(role, sub) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`ops-token:${tokenSecret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'urn:ops:grant:demo-person', role, ...(sub && { sub }) }),
      });
      const { access_token } = (await response.json()) as { access_token: string };
      return access_token;
    },
    output: () => output,
    stop,
    async discard() {
      await stop();
      await rm(dataDir, { recursive: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
