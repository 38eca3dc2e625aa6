import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mayBePassedOn } from './licences.rules.ts';

const root = join(import.meta.dirname, '..', '..');

/** What one check found. `undone`: it could not be made, which is said and is no fault of what is checked. */
export interface Checked {
  name: string;
  outcome: 'ok' | 'failed' | 'undone';
  words: string;
}

interface Run {
  code: number;
  out: string;
  said: string;
}

/** Without what the surroundings say of colours, terminals and registries, but for what is given. */
async function run(program: string, args: readonly string[]): Promise<Run> {
  const options = { cwd: root, maxBuffer: 256 * 1024 * 1024, env: { ...process.env, NO_COLOR: '1' } };
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, options);
    return { code: 0, out: stdout, said: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout?: string; stderr?: string };
    if (typeof code !== 'number') throw error;
    return { code, out: stdout ?? '', said: stderr ?? '' };
  }
}

/** The one that installed what is here; whoever installed by hand has one on the path. */
const [pnpm = 'pnpm'] = globSync('.tools/pnpm@*/node_modules/.bin/pnpm', { cwd: root }).map((path) => join(root, path));

const check = (name: string, outcome: Checked['outcome'], words: string): Checked => ({ name, outcome, words });

/** All that is in what runs, by name, version and licence, in CycloneDX. */
export async function billOfMaterials(file?: string): Promise<Checked> {
  const { code, out, said } = await run(pnpm, ['sbom', '--sbom-format', 'cyclonedx', '--prod']);
  if (code !== 0) return check('bill of materials', 'failed', said);
  const { components } = JSON.parse(out) as { components: unknown[] };
  if (file) await writeFile(file, out);
  return check('bill of materials', 'ok', `${components.length} packages${file ? `, in ${file}` : ''}`);
}

export async function licences(): Promise<Checked> {
  const { code, out, said } = await run(pnpm, ['licenses', 'list', '--recursive', '--prod', '--json']);
  if (code !== 0) return check('licences', 'failed', said);
  const found = Object.entries(JSON.parse(out) as Record<string, { name: string }[]>);
  const refused = found.filter(([licence]) => !mayBePassedOn(licence));
  if (found.length === 0) return check('licences', 'failed', 'none was found at all');
  if (refused.length === 0) return check('licences', 'ok', `${found.length} kinds, all may be passed on`);
  const words = refused.map(([licence, packages]) => `${licence}: ${packages.map(({ name }) => name).join(', ')}`);
  return check('licences', 'failed', words.join('\n'));
}

interface Advisory {
  severity: string;
  module_name: string;
  title: string;
  url: string;
}

/** Asks the registry, or another one. One that cannot be asked says nothing of us. */
export async function knownHoles(registry?: string): Promise<Checked> {
  const name = 'known holes';
  const { out, said } = await run(pnpm, [
    'audit',
    '--prod',
    '--json',
    '--config.fetch-retries=0',
    ...(registry ? ['--registry', registry] : []),
  ]);
  const found = parsed<{ advisories: Record<string, Advisory> }>(out);
  if (!found)
    return check(name, 'undone', `the registry could not be asked: ${(said || out).replace(/[\s│×]+/g, ' ').trim()}`);
  const all = Object.values(found.advisories);
  const grave = all.filter(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave.length === 0) return check(name, 'ok', `none that is grave, ${all.length} others`);
  const words = grave.map(({ severity, module_name, title, url }) => `${severity}: ${module_name}: ${title} (${url})`);
  return check(name, 'failed', words.join('\n'));
}

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** In all that is tracked. What tests make up at addresses that are nobody's is none (`.secretlintrc.json`). */
export async function secrets(files?: readonly string[]): Promise<Checked> {
  const tracked = files ?? (await run('git', ['ls-files', '-z'])).out.split('\0').filter(Boolean);
  const config = ['--secretlintrc', join(root, '.secretlintrc.json'), '--maskSecrets'];
  const program = join(root, 'node_modules/.bin/secretlint');
  const { code, out, said } = await run(program, [...config, ...tracked]);
  if (code === 0) return check('secrets', 'ok', `none in ${tracked.length} files`);
  return check('secrets', 'failed', out || said);
}
