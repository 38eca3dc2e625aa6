import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { read, root } from './dockerfile.ts';

export interface Imports {
  /** Every file of ours that a process loads, and every file or folder it finds relative to its own. */
  files: Set<string>;
  /** Packages that are needed at run time and are none of its own dependencies, as `file: package`. */
  undeclared: string[];
}

const statement = /^(?:import|export)\s(?!type\b)(?:[^;']*?\sfrom\s)?'([^']+)'/gm;
const loadedLater = /\bimport\('([^']+)'\)/g;
const beside = /new URL\(\s*'([^']+)',\s*import\.meta\.url\s*\)/g;

export function importsOf(entry: string): Imports {
  const imports: Imports = { files: new Set(), undeclared: [] };
  follow(entry, imports);
  return imports;
}

function follow(file: string, imports: Imports): void {
  if (imports.files.has(file)) return;
  imports.files.add(file);
  if (!file.endsWith('.ts')) return;
  const text = read(file);
  for (const [, found = ''] of text.matchAll(beside)) follow(normalize(join(dirname(file), found)), imports);
  for (const pattern of [statement, loadedLater])
    for (const [, name = ''] of text.matchAll(pattern)) followImport(file, name, imports);
}

function followImport(file: string, name: string, imports: Imports): void {
  if (name.startsWith('node:')) return;
  if (name.startsWith('.')) {
    follow(normalize(join(dirname(file), name)), imports);
    return;
  }
  const [, own, module] = /^@ops\/([^/]+)\/(.+)$/.exec(name) ?? [];
  const dependency = own ? `@ops/${own}` : name.split('/', name.startsWith('@') ? 2 : 1).join('/');
  if (!declaredBy(file).has(dependency)) imports.undeclared.push(`${file}: ${dependency}`);
  if (own) follow(`packages/${own}/src/${module}.ts`, imports);
}

/** What `pnpm install --prod` links beside this file. */
function declaredBy(file: string): Set<string> {
  let folder = dirname(file);
  while (!existsSync(join(root, folder, 'package.json'))) folder = dirname(folder);
  return new Set(Object.keys(JSON.parse(read(join(folder, 'package.json'))).dependencies ?? {}));
}
