import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createIdentityVerifier, identityHeader } from '@ops/service-kit/identity';
import { createLogger } from '@ops/service-kit/logger';
import { eventually } from '@ops/test-kit/eventually';
import { exportJWK, generateKeyPair } from 'jose';
import { createWelcome } from '../src/sign-in/new-agents.ts';
import { ask, bearer, startWithIssuer, type TestGateway } from './gateway.ts';
import type { TestIssuer } from './issuer.ts';

let issuer: TestIssuer;
let gateway: TestGateway;

beforeAll(async () => {
  ({ issuer, gateway } = await startWithIssuer());
});
afterAll(() => gateway.stop());

const come = async (sub: string, role: string, name?: string) =>
  (await ask(gateway.port, '/ops/me', { headers: bearer(await issuer.token({ sub, roles: [role], name })) })).status;
const told = () => gateway.services.notifier.asked;

test('everybody of the firm is told to notifier once, by the gateway in its own name; nobody else is', async () => {
  for (const [sub, role, name] of [
    ['ada', 'staff', 'Ada Demo'],
    ['C-1', 'customer', 'Some Body'],
    ['importer', 'automation', undefined],
    ['ada', 'staff', 'Ada Demo'],
    ['bob', 'admin', undefined],
  ] as const)
    await come(sub, role, name);
  await eventually(async () => expect(told()).toHaveLength(2));
  expect(told().map(({ method, url, body }) => ({ method, url, body: JSON.parse(body) }))).toEqual([
    { method: 'POST', url: '/internal/agents/signed-in', body: { id: 'ada', name: 'Ada Demo' } },
    { method: 'POST', url: '/internal/agents/signed-in', body: { id: 'bob', name: 'bob' } },
  ]);
  const verify = createIdentityVerifier(JSON.stringify(gateway.publicKeys), 'notifier');
  const header = told()[0]?.headers[identityHeader] as string;
  expect(await verify(header)).toEqual({ actor: { sub: 'gateway', role: 'automation' }, via: 'gateway' });
});

test('nobody waits for notifier', async () => {
  gateway.services.notifier.behave(() => undefined);
  expect(await come('cleo', 'staff')).toBe(200);
  gateway.services.notifier.behave(undefined);
});

test('who could not be told is told a while later, when they ask for something', async () => {
  const { notifier } = gateway.services;
  const warned: string[] = [];
  const { privateKey } = await generateKeyPair('Ed25519', { extractable: true });
  let now = 0;
  const welcome = createWelcome({
    privateKey: JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'gateway' }),
    notifierUrl: notifier.url,
    logger: createLogger('gateway', 'warn', { write: (line) => warned.push(line) }),
    now: () => now,
  });
  const before = told().length;
  notifier.behave((_req, res) => res.writeHead(503).end());
  welcome({ sub: 'dora', role: 'staff' });
  await eventually(async () => expect(warned).toHaveLength(1));
  notifier.behave(undefined);
  welcome({ sub: 'dora', role: 'staff' });
  now = 60_000;
  welcome({ sub: 'dora', role: 'staff' });
  await eventually(async () => expect(told()).toHaveLength(before + 1));
});
