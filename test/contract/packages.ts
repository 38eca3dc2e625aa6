import { glob, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

interface Package {
  name: string;
  folder: string;
  /** Other packages of ours that it runs. */
  runs: string[];
  /** Those that its suites need beside. */
  suites: string[];
}

/** Every package of the workspace, by its manifest; that nothing else is imported, Knip says. */
export async function readPackages(): Promise<Package[]> {
  const found: Package[] = [];
  for await (const manifest of glob('{gateway,{packages,services}/*}/package.json', { cwd: root }))
    found.push(await readPackage(manifest));
  return found;
}

async function readPackage(manifest: string): Promise<Package> {
  const { name, dependencies, devDependencies } = JSON.parse(await readFile(join(root, manifest), 'utf8'));
  return { name, folder: dirname(manifest), runs: ours(dependencies), suites: ours(devDependencies) };
}

const ours = (dependencies: object = {}) => Object.keys(dependencies).filter((name) => name.startsWith('@ops/'));
