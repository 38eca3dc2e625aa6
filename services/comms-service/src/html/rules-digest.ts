import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const library = createRequire(import.meta.url).resolve('sanitize-html/package.json');
const parser = createRequire(library).resolve('htmlparser2');

/** All that decides what a sanitised mail looks like. */
const decisive = [
  new URL('./sanitise.rules.ts', import.meta.url),
  new URL('./safe-style.rules.ts', import.meta.url),
  pathToFileURL(library),
  new URL('../package.json', pathToFileURL(parser)),
];

/** Another one after any change of the rules or of the library, so that nobody can forget to say so. */
export const rulesDigest: string = decisive
  .reduce((digest, file) => digest.update(readFileSync(file)), createHash('sha256'))
  .digest('base64url');
