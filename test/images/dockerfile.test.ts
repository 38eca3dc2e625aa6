import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from '@jest/globals';
import { listen } from '@ops/service-kit/http-server';
import { makeAuthority } from '@ops/test-kit/certificates';
import { readPackages } from '../contract/packages.ts';
import { read } from './compose.ts';

const stages = new Map(
  read('Dockerfile')
    .split(/^FROM /m)
    .slice(1)
    .map((text) => [/ AS (\S+)/.exec(text)?.[1] ?? '', text]),
);
const images = [...stages].filter(([, text]) => text.startsWith('process AS'));

let packages: Map<string, Awaited<ReturnType<typeof readPackages>>[number]>;
beforeAll(async () => {
  packages = new Map((await readPackages()).map((one) => [one.name, one]));
});

test('every manifest of the workspace is there when dependencies are installed', () => {
  const copied = [...(stages.get('workspace') ?? '').matchAll(/^COPY (\S+)\/package\.json \1\/$/gm)];
  expect(copied.map(([, folder]) => folder).sort()).toEqual([...packages.values()].map(({ folder }) => folder).sort());
});

test.each(images)('the image of %s holds the packages that its process runs, and no other', (_, text) => {
  const held = [...text.matchAll(/^COPY (\S+) \1$/gm)].map(([, folder]) => folder);
  const modules = stages.get(/^COPY --from=(\S+-modules) /m.exec(text)?.[1] ?? '') ?? '';
  const run = new Set([...modules.matchAll(/--filter-prod (@ops\/[a-z-]+)(\.\.\.)?/g)].flatMap(namesOf));
  const folders = [...run].map((name) => packages.get(name)?.folder);
  // Of a service it may hold less.
  expect(held.filter((path) => !/\/migrations$/.test(path ?? '')).sort()).toEqual(folders.sort());
});

function namesOf([, name = '', withAll]: RegExpMatchArray): string[] {
  const found = new Set([name]);
  if (withAll) for (const one of found) for (const needed of packages.get(one)?.runs ?? []) found.add(needed);
  return [...found];
}

test.each(images)('the image of %s holds every source that its command loads', (_, text) => {
  const held = [...text.matchAll(/^COPY (?!--)(\S+) (\S+)$/gm)].map(([, from = '']) => from);
  const [, main = ''] = /^CMD \["node", "([^"]+)"/m.exec(text) ?? [];
  const entries = [main, join(dirname(main), 'doctor.ts')].filter((path) => existsSync(path));
  const missing = sourcesOf(entries).filter((path) => !held.some((one) => path === one || path.startsWith(`${one}/`)));
  expect(missing).toEqual([]);
});

/** What these load by themselves, not what types alone are taken from. */
function sourcesOf(entries: readonly string[]): string[] {
  const found = new Set(entries);
  for (const path of found) {
    const loaded = read(path).matchAll(/^(?:import|export)(?! type)\b[^;]*?from '([^']+)'|^import '([^']+)'/gms);
    for (const [, name, bare] of loaded) {
      const source = resolve(path, name ?? bare ?? '');
      if (source !== undefined) found.add(source);
    }
  }
  return [...found];
}

function resolve(from: string, name: string): string | undefined {
  if (name.startsWith('.')) return join(dirname(from), name);
  const [, owner = '', door = ''] = /^(@ops\/[a-z-]+)\/(.+)$/.exec(name) ?? [];
  const folder = packages.get(owner)?.folder;
  if (folder === undefined) return undefined;
  const doors: Record<string, string> = JSON.parse(read(join(folder, 'package.json'))).exports;
  const path = doors[`./${door}`] ?? doors['./*']?.replace('*', door);
  return path && join(folder, path);
}

/** As Docker would run it within the container. */
async function askedForHealth(env: Record<string, string>): Promise<'healthy' | 'unhealthy'> {
  const [, command = ''] = /^HEALTHCHECK .*\\\n {2}CMD (.+)$/m.exec(stages.get('process') ?? '') ?? [];
  const [, ...args] = JSON.parse(command) as string[];
  return promisify(execFile)(process.execPath, args, { env }).then(
    () => 'healthy',
    () => 'unhealthy',
  );
}

test('the health of a process is asked by HTTP, and by HTTPS where it speaks that', async () => {
  const { cert, key } = await (await makeAuthority()).issue('comms-service');
  const told = { TLS_CERT_FILE: '/run/secrets/tls/tls.crt' };
  for (const [env, certificate] of [
    [{}, undefined],
    [told, { cert, key }],
  ] as const) {
    let status = 200;
    const answering = { host: '127.0.0.1', port: 0, certificate };
    const server = await listen(({ url }, res) => res.writeHead(url === '/healthz' ? status : 404).end(), answering);
    const asked = () => askedForHealth({ ...env, PORT: String(server.port) });
    expect(await asked()).toBe('healthy');
    status = 500;
    expect(await asked()).toBe('unhealthy');
    await server.close();
    expect(await asked()).toBe('unhealthy');
  }
});
