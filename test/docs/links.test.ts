import { existsSync, globSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { readDocument, root } from './document.ts';

const notOurs = ['**/node_modules/**', '.*/**', 'secrets/**'];
const documents = globSync('**/*.md', { cwd: root, exclude: notOurs }).sort().map(readDocument);
const byPath = new Map(documents.map((document) => [document.path, document]));

test.each(documents)('what $path links to is there', ({ path, links }) => {
  const within = links.filter(({ text }) => !/^[a-z]+:/.test(text));
  const dead = within.filter(({ text }) => !isThere(path, text)).map(({ text, line }) => `line ${line}: ${text}`);
  expect(dead).toEqual([]);
});

function isThere(from: string, link: string): boolean {
  const [path = '', anchor] = decodeURIComponent(link).split('#');
  const target = path === '' ? from : normalize(join(from, '..', path));
  if (target.startsWith('..') || !existsSync(join(root, target))) return false;
  return anchor === undefined || (byPath.get(target)?.anchors.has(anchor) ?? /^L\d/.test(anchor));
}

test('every document is found from the first page', () => {
  const reached = new Set(['README.md']);
  for (const path of reached)
    for (const { text } of byPath.get(path)?.links ?? []) {
      const target = normalize(join(path, '..', text.split('#')[0] ?? ''));
      for (const { path: other } of documents) if (other === target || isIn(target, other)) reached.add(other);
    }
  expect(documents.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

/** A link to a folder shows what lies in it. */
const isIn = (folder: string, path: string): boolean => normalize(join(path, '..')) === folder.replace(/\/$/, '');
