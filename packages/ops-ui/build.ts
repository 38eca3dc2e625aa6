import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { glob, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const home = import.meta.dirname;
const root = join(home, '..', '..');
const built = join(home, 'dist');

/** What the built pages follow from. */
const sources = [
  'packages/ops-ui/{src,public}/**',
  'packages/ops-ui/*.{ts,html,json}',
  'packages/contracts/src/**',
  'pnpm-lock.yaml',
];

/** Builds the pages unless they are there as the sources have them; beside the old ones, which are used until it is done. */
export async function buildPages(): Promise<void> {
  const wanted = await digestOfSources();
  if ((await stampOf(built)) === wanted) return;
  console.log('- building the pages');
  const fresh = `${built}.${process.pid}`;
  try {
    await run(process.execPath, [join(home, 'generate.ts')]);
    await run(process.execPath, [
      join(home, 'node_modules/vite/bin/vite.js'),
      'build',
      '--outDir',
      fresh,
      '--logLevel',
      'warn',
    ]);
    await writeFile(join(fresh, '.stamp'), wanted);
    await rm(built, { recursive: true, force: true });
    await rename(fresh, built);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

const stampOf = (directory: string) => readFile(join(directory, '.stamp'), 'utf8').catch(() => undefined);

async function digestOfSources(): Promise<string> {
  const files: string[] = [];
  for await (const entry of glob(sources, { cwd: root, withFileTypes: true }))
    if (entry.isFile() && !entry.name.includes('.gen.')) files.push(join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file.slice(root.length)).update(await readFile(file));
  return hash.digest('hex');
}

async function run(program: string, args: readonly string[]): Promise<void> {
  // Whoever builds them first, a suite perhaps, builds what everybody is served.
  const env = { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production' };
  const child = spawn(program, args, { cwd: home, stdio: ['ignore', 'inherit', 'inherit'], env });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('the pages could not be built; what went wrong is above');
}

if (import.meta.main) await buildPages();
