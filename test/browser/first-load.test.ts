import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { buildPages } from '@ops/ops-ui/build';

const built = join(import.meta.dirname, '../../packages/ops-ui/dist');
const mostBytes = 250_000;

const gzipped = async (path: string) => gzipSync(await readFile(join(built, path))).length;

test('what a first visit asks for before anything shows is under 250 kB, the font aside', async () => {
  await buildPages();
  const html = await readFile(join(built, 'index.html'), 'utf8');
  const bytesOf = async (ending: string) => {
    const paths = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].flatMap(([, path]) =>
      path?.endsWith(ending) ? path : [],
    );
    expect(paths).not.toEqual([]);
    return (await Promise.all(paths.map(gzipped))).reduce((sum, bytes) => sum + bytes, 0);
  };
  const [scripts, styles] = [await bytesOf('.js'), await bytesOf('.css')];
  if (scripts + styles < mostBytes) return;
  throw new Error(`${scripts} bytes of scripts and ${styles} of styles are more than ${mostBytes}`);
});
