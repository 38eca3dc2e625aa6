import { createHash, createHmac, createPrivateKey, sign as cryptoSign } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Actor } from '@ops/contracts/roles';
import { SignJWT } from 'jose';
import { keyPair } from '../../test/app.ts';
import { createIdentitySigner, createIdentityVerifier } from './identity.ts';

const gateway = keyPair('gateway');
const rotated = keyPair('gateway#2');
const notifier = keyPair('notifier');
const jwks = JSON.stringify({ keys: [gateway.publicJwk, rotated.publicJwk, notifier.publicJwk] });
const verify = createIdentityVerifier(jwks, 'comms-service');
const actor: Actor = { sub: 'agent-1', role: 'staff', name: 'Demo Agent' };
const refused = { status: 401, code: 'unauthorised' };

interface Forgery {
  key?: { privateJwk: string };
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
}

/** A token like ours but for what is given; `undefined` leaves a member out. */
function forge({ key = gateway, header = {}, claims = {} }: Forgery = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const head = { alg: 'EdDSA', typ: 'ops-identity+jwt', kid: 'gateway', ...header };
  const body = {
    iss: 'gateway',
    aud: 'comms-service',
    sub: 'agent-1',
    role: 'staff',
    iat: now,
    exp: now + 60,
    ...claims,
  };
  const input = [head, body].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = cryptoSign(
    null,
    Buffer.from(input),
    createPrivateKey({ key: JSON.parse(key.privateJwk), format: 'jwk' }),
  );
  return `${input}.${signature.toString('base64url')}`;
}

test('who acts arrives as it was signed, with and without a name', async () => {
  const sign = createIdentitySigner(gateway.privateJwk);
  expect(await verify(await sign(actor, 'comms-service'))).toEqual({ actor, via: 'gateway' });
  const nameless: Actor = { sub: 'C-1', role: 'customer' };
  expect(await verify(await sign(nameless, 'comms-service'))).toEqual({ actor: nameless, via: 'gateway' });
});

test('a process signs under its own name while its key is being rotated', async () => {
  const sign = createIdentitySigner(rotated.privateJwk);
  expect(await verify(await sign(actor, 'comms-service'))).toEqual({ actor, via: 'gateway' });
});

test('a burst for one person costs one signature; half a minute later there is a new one', async () => {
  let now = Date.now();
  const sign = createIdentitySigner(gateway.privateJwk, () => now);
  const first = await sign(actor, 'comms-service');
  now += 29_000;
  expect(await sign(actor, 'comms-service')).toBe(first);
  expect(await sign(actor, 'notifier')).not.toBe(first);
  expect(await sign({ ...actor, role: 'admin' }, 'comms-service')).not.toBe(first);
  now += 2_000;
  expect(await sign(actor, 'comms-service')).not.toBe(first);
});

test('a well-made token of this test is accepted, so that the refusals below mean something', async () => {
  expect(await verify(forge())).toEqual({ actor: { sub: 'agent-1', role: 'staff' }, via: 'gateway' });
});

const now = Math.floor(Date.now() / 1000);
const later = now + 3600;

test.each<[string, Forgery]>([
  ['another audience', { claims: { aud: 'notifier' } }],
  ['no audience', { claims: { aud: undefined } }],
  ['an issuer that is not the key', { claims: { iss: 'notifier' } }],
  ['a key that is not the issuer', { key: notifier, header: { kid: 'notifier' } }],
  ["another process's key under the gateway's name", { key: notifier }],
  ['an unknown key id', { header: { kid: 'stranger' } }],
  ['no key id', { header: { kid: undefined } }],
  ['an inherited name as key id', { header: { kid: '__proto__' } }],
  ['the time over', { claims: { iat: now - 120, exp: now - 60 } }],
  ['no end', { claims: { exp: undefined } }],
  ['no beginning', { claims: { iat: undefined } }],
  ['an end hours away', { claims: { iat: now - 300, exp: later } }],
  ['a beginning in the future', { claims: { iat: later, exp: later + 60 } }],
  ['a time it is not valid before', { claims: { nbf: later } }],
  ['no subject', { claims: { sub: undefined } }],
  ['an empty subject', { claims: { sub: '' } }],
  ['a role that does not exist', { claims: { role: 'root' } }],
  ['several roles', { claims: { role: ['staff', 'admin'] } }],
  ['another type of token', { header: { typ: 'JWT' } }],
  ['no type', { header: { typ: undefined } }],
  ['algorithm none', { header: { alg: 'none' } }],
  ['algorithm None', { header: { alg: 'None' } }],
  ['no algorithm', { header: { alg: undefined } }],
  ['another algorithm', { header: { alg: 'RS256' } }],
  ['a critical extension', { header: { crit: ['exp'], exp: later } }],
  ['a key of its own', { key: keyPair('gateway'), header: { jwk: keyPair('gateway').publicJwk } }],
  ['an address for the key', { key: keyPair('gateway'), header: { jku: 'https://keys.example/jwks' } }],
])('a token with %s is refused', async (_what, forgery) => {
  await expect(verify(forge(forgery))).rejects.toMatchObject(refused);
});

test('HS256 signed with the public key is refused, in each form the key may take', async () => {
  const [, claims] = forge().split('.');
  const head = Buffer.from(JSON.stringify({ alg: 'HS256', typ: 'ops-identity+jwt', kid: 'gateway' })).toString(
    'base64url',
  );
  const key = gateway.publicJwk as { x: string };
  for (const secret of [key.x, Buffer.from(key.x, 'base64url'), JSON.stringify(key)]) {
    const signature = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
    await expect(verify(`${head}.${claims}.${signature}`)).rejects.toMatchObject(refused);
  }
  const byJose = await new SignJWT({ sub: 'agent-1', role: 'admin' })
    .setProtectedHeader({ alg: 'HS256', kid: 'gateway', typ: 'ops-identity+jwt' })
    .sign(createHash('sha256').update(key.x).digest());
  await expect(verify(byJose)).rejects.toMatchObject(refused);
});

test.each([undefined, '', 'x', 'a.b', 'a.b.c', 'a.b.c.d', '..', '{}', 'é.é.é', `${'a'.repeat(9000)}.b.c`])(
  'no token, or none at all (%#), is refused',
  async (token) => expect(verify(token)).rejects.toMatchObject(refused),
);

test('a token whose content was changed after signing is refused', async () => {
  const [head, , signature] = forge().split('.');
  const [, admin] = forge({ claims: { role: 'admin' } }).split('.');
  await expect(verify(`${head}.${admin}.${signature}`)).rejects.toMatchObject(refused);
  await expect(verify(`${head}.${admin}.`)).rejects.toMatchObject(refused);
});
