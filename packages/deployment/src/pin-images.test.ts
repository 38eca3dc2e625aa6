import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pinImages } from './pin-images.ts';

/** A registry as the OCI distribution API describes it, which gives tokens to anybody and wants one. */
const checkout = join(import.meta.dirname, '..', '..', '..');
let root: string;
let registry: Server;
let asked: string[];
let missing: string;
/** Of what a tag stands for: another after a push. */
let edition: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ops-test-pins-'));
  for (const path of ['Dockerfile', 'docker-compose.yml', 'k8s'])
    await cp(join(checkout, path), join(root, path), { recursive: true });
  [asked, missing, edition] = [[], '', 'first'];
  registry = createServer(answer);
  await new Promise<void>((listening) => registry.listen(0, '127.0.0.1', listening));
});
afterEach(async () => {
  registry.close();
  await rm(root, { recursive: true });
});

const address = () => `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
const manifestOf = (path: string) => JSON.stringify({ schemaVersion: 2, path, edition });
const digest = (path: string) => `sha256:${createHash('sha256').update(manifestOf(path)).digest('hex')}`;

function answer({ url = '', method = '', headers }: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, address());
  if (pathname === '/token') return void res.end(JSON.stringify({ token: `for ${searchParams.get('scope')}` }));
  const [, repository, tag] = /^\/v2\/(.+)\/manifests\/(.+)$/.exec(pathname) ?? [];
  const scope = `repository:${repository}:pull`;
  if (headers.authorization !== `Bearer for ${scope}`) {
    const challenge = `Bearer realm="${address()}/token",service="registry",scope="${scope}"`;
    return void res.writeHead(401, { 'www-authenticate': challenge }).end();
  }
  asked.push(`${method} ${repository}:${tag}`);
  if (missing !== '' && pathname.includes(missing)) return void res.writeHead(404).end();
  expect(headers.accept).toContain('application/vnd.oci.image.index.v1+json');
  // One that does not say it, as the API allows.
  const told = repository?.startsWith('cloudnative-pg') ? {} : { 'docker-content-digest': digest(pathname) };
  res.writeHead(200, told).end(method === 'HEAD' ? undefined : manifestOf(pathname));
}

async function pin(): Promise<string[]> {
  const lines: string[] = [];
  await pinImages(root, (line) => lines.push(line), { 'docker.io': address(), 'ghcr.io': address() });
  return lines;
}

async function named(): Promise<string[]> {
  const paths = ['Dockerfile', 'docker-compose.yml', ...globSync('k8s/**/*.yaml', { cwd: root })];
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/^\s*(?:FROM|image(?:Name)?:) (\S+)/gm)].map(([, name = '']) => name),
  );
}

test('each public image of the Dockerfile, the compose file and the manifests is pinned to what its tag stands for', async () => {
  const before = await named();
  await pin();
  const stages = new Set(['workspace', 'process', 'demo']);
  const isPublic = (name: string) => !name.startsWith('ops/') && !stages.has(name);
  const wanted = before.map((name) => {
    const [path = '', tag] = name.replace('ghcr.io/', '').split(':');
    const repository = path.includes('/') ? path : `library/${path}`;
    return isPublic(name) ? `${name}@${digest(`/v2/${repository}/manifests/${tag}`)}` : name;
  });
  expect(await named()).toEqual(wanted);
  expect(before.filter(isPublic).length).toBeGreaterThan(8);
  expect(asked).toContain('HEAD library/node:24-bookworm-slim');
  expect(asked).toContain('GET cloudnative-pg/postgresql:18');
});

test('again it writes nothing, and after a push what the tag stands for then', async () => {
  await pin();
  const first = await named();
  expect((await pin()).filter((line) => line.endsWith('written'))).toEqual([]);
  edition = 'second';
  expect((await pin()).filter((line) => line.endsWith('written'))).toContain('docker-compose.yml: written');
  const second = await named();
  expect(second.map((name) => name.split('@')[0])).toEqual(first.map((name) => name.split('@')[0]));
  expect(second.filter((name, n) => name.includes('@') && name === first[n])).toEqual([]);
});

test('where one cannot be asked for, nothing is written and it is named', async () => {
  const before = await named();
  missing = 'rabbitmq';
  await expect(pin()).rejects.toThrow(/nothing was written.*\n {2}rabbitmq:4.*: 127\.0\.0\.1:\d+ answered 404/);
  registry.closeAllConnections();
  expect(await named()).toEqual(before);
});
