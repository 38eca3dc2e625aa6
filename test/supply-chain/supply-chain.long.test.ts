import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mayBePassedOn } from './licences.rules.ts';
import { billOfMaterials, knownHoles, licences, secrets } from './supply-chain.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'supply-chain-'));
});
afterAll(() => rm(directory, { recursive: true }));

/** Answers what it is asked about packages with this. */
async function registry(advisories: object): Promise<{ url: string; close(): void }> {
  const server = createServer((_req, res) =>
    res.setHeader('content-type', 'application/json').end(JSON.stringify(advisories)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

const hole = (severity: string) => ({
  jose: [{ id: 1, url: 'https://example.com/1', title: 'Demo hole', severity, vulnerable_versions: '<99' }],
});

test('what is shipped is listed, with its licences, all of which may be passed on', async () => {
  const file = join(directory, 'bill.json');
  expect(await billOfMaterials(file)).toMatchObject({ outcome: 'ok' });
  const { bomFormat, components } = JSON.parse(await readFile(file, 'utf8'));
  const names = components.map(({ name }: { name: string }) => name);
  expect([bomFormat, names.includes('express'), names.includes('jest')]).toEqual(['CycloneDX', true, false]);
  expect(await licences()).toMatchObject({ outcome: 'ok' });
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(ISC AND CC-BY-3.0)', true],
  ['(MIT AND GPL-3.0-only)', false],
  ['AGPL-3.0-only', false],
  ['Unknown', false],
])('what is under %s may be passed on: %s', (expression, may) => {
  expect(mayBePassedOn(expression)).toBe(may);
});

test('a grave hole that the registry knows of fails, a lesser one is counted, and a registry that is away is said', async () => {
  for (const [severity, outcome] of [
    ['critical', 'failed'],
    ['high', 'failed'],
    ['moderate', 'ok'],
  ] as const) {
    const asked = await registry(hole(severity));
    expect(await knownHoles(asked.url)).toMatchObject({ outcome });
    asked.close();
  }
  const gone = await registry({});
  gone.close();
  expect(await knownHoles(gone.url)).toMatchObject({
    outcome: 'undone',
    words: expect.stringContaining('could not be asked'),
  });
});

test('what the registry knows of what is shipped today is nothing grave, as far as it can be asked', async () => {
  expect((await knownHoles()).outcome).not.toBe('failed');
});

test('no secret is tracked, and one would be found', async () => {
  expect(await secrets()).toMatchObject({ outcome: 'ok' });
  const key = ['-----BEGIN', 'RSA PRIVATE KEY-----'].join(' ');
  const file = join(directory, 'key.txt');
  await writeFile(file, `${key}\n${'MIIEowIBAAKCAQEA'.repeat(40)}\n${key.replace('BEGIN', 'END')}\n`);
  expect(await secrets([file])).toMatchObject({ outcome: 'failed' });
});
