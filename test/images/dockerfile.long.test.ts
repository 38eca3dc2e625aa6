import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { baseImages, copied, copies, entryOf, instructions, read, root, stageNames } from './dockerfile.ts';
import { importsOf } from './imports.ts';

const processes = ['gateway', ...serviceNames, 'dev-idp', 'provider-sim'];
const oneOffs = ['migrate', 'demo-seed'];
const targets = [...processes, ...oneOffs];

const under = (path: string, folders: readonly string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`));

test('every process has an image', () => {
  expect(stageNames()).toEqual(expect.arrayContaining(targets));
});

describe.each(targets)('%s', (target) => {
  test('starts a file that is there, as an ordinary user', () => {
    expect(existsSync(join(root, entryOf(target)))).toBe(true);
    expect(copied(target)).toEqual(expect.arrayContaining([expect.stringMatching(`^${topOf(entryOf(target))}`)]));
    expect(instructions(target, 'USER').at(-1)).toBe('1000:1000');
  });

  test('says whether it is well, unless it does one thing and ends', () => {
    const last = instructions(target, 'HEALTHCHECK').at(-1);
    if (oneOffs.includes(target)) expect(last).toBe('NONE');
    else expect(last).toContain('/healthz');
  });

  test('holds every file it loads, and nothing of that is kept out', () => {
    const { files } = importsOf(entryOf(target));
    expect([...files].filter((file) => !under(file, copied(target)))).toEqual([]);
    expect([...files].filter((file) => /\.test\.ts$|\/test-[^/]*\.ts$|\/conformance\//.test(file))).toEqual([]);
  });

  test('loads only what a production install gives it', () => {
    expect(importsOf(entryOf(target)).undeclared).toEqual([]);
    const [modules] = copies(target).filter(({ from }) => from?.endsWith('-modules'));
    const [install] = instructions(modules?.from ?? '', 'RUN').slice(-1);
    expect(install).toMatch(/^pnpm install --prod --offline --frozen-lockfile /);
    const owner = JSON.parse(read(join(topOf(entryOf(target)), 'package.json'))).name;
    expect(install).toContain(`--filter-prod ${owner}...`);
  });
});

test.each(['gateway', ...serviceNames])('%s can look at itself in its image', (target) => {
  const doctor = entryOf(target).replace('main.ts', 'doctor.ts');
  const { files, undeclared } = importsOf(doctor);
  expect([...files].filter((file) => !existsSync(join(root, file)) || !under(file, copied(target)))).toEqual([]);
  expect(undeclared).toEqual([]);
});

/** `services/notifier` of a path in it. */
function topOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'gateway' ? first : `${first}/${second}`;
}

test('the migrations of every service are in the image that applies them', () => {
  expect(copied('migrate')).toEqual(expect.arrayContaining(serviceNames.map((name) => `services/${name}/migrations`)));
});

test('what is copied is there and is sent to the build', () => {
  const sent = [...read('.dockerignore').matchAll(/^!([^/\n]+)$/gm)].map(([, path]) => path);
  const sources = stageNames().flatMap((name) => copies(name).flatMap((one) => (one.from ? [] : one.sources)));
  expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(sources.filter((path) => !sent.includes(path.split('/')[0] ?? ''))).toEqual([]);
});

test('nothing is sent to the build that may hold a secret', () => {
  const [first, ...rest] = read('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  expect(first).toBe('*');
  expect(rest.filter((line) => /^!.*(\.env|secrets|\.npmrc|\.ops|\.git)/.test(line))).toEqual([]);
  const told = stageNames().flatMap((name) => [...instructions(name, 'ENV'), ...instructions(name, 'ARG')]);
  expect(told.filter((line) => /SECRET|TOKEN|PASSWORD|KEY|CREDENTIAL/.test(line))).toEqual([]);
});

test('the install sees every package of the workspace, as the lockfile does', () => {
  const manifests = globSync('{gateway,packages/*,services/*}/package.json', { cwd: root });
  const seen = copies('workspace').flatMap(({ sources }) => sources);
  expect(seen.filter((path) => path.includes('/')).sort()).toEqual(manifests.sort());
});

test('Node and pnpm are those of the checkout', () => {
  const launcher = read('packages/embedded/launcher/install.mjs');
  const pnpm = /pnpmVersion = '([^']+)'/.exec(launcher)?.[1];
  const node = /neededNode = (\d+)/.exec(launcher)?.[1];
  expect(new Set(baseImages())).toEqual(new Set([`node:${node}-bookworm-slim`]));
  expect(instructions('workspace', 'RUN')[0]).toMatch(new RegExp(` pnpm@${pnpm}$`));
});
