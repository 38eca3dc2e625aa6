import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..', '..');

/** What the compiler has to say of these expressions, each by itself. Types are found as from the root of the checkout. */
export async function compilerProblems(expressions: readonly string[]): Promise<string> {
  const cache = join(root, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const directory = await mkdtemp(join(cache, 'expressions-'));
  try {
    const lines = expressions.map((expression, index) => `export const e${index} = ${expression};\n`);
    await writeFile(join(directory, 'expressions.ts'), lines.join(''));
    const compilerOptions = {
      ...{ module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true, types: [] },
      allowImportingTsExtensions: true,
    };
    await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['expressions.ts'] }));
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    return await promisify(execFile)(compiler, ['--project', directory]).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout,
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
