import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readTarget } from './request-target.ts';

const nasty = fc.constantFrom(
  '.',
  '..',
  '/',
  '\\',
  '%2e',
  '%2E',
  '%2f',
  '%5c',
  '%25',
  '%00',
  '#',
  '?',
  '',
  'ops',
  'a',
  ':',
  ';',
  '%',
  '%41',
  '\u00e9',
);

/** As a service reads a path: the address parser normalises, the router decodes each segment. */
function readAgain(path: string): string[] {
  return new URL(path, 'http://service').pathname.slice(1).split('/').map(decodeURIComponent);
}

test('whatever is let through reads the same to the parsers behind', () => {
  fc.assert(
    fc.property(fc.array(nasty, { maxLength: 12 }), (pieces) => {
      const url = `/${pieces.join('')}`;
      const target = readTarget(url);
      if (!target) return;
      expect(readAgain(url)).toEqual(target.segments.map(decodeURIComponent));
      for (const segment of target.segments) expect(decodeURIComponent(segment)).not.toMatch(/^\.{1,2}$|[/\\%\p{Cc}]/u);
    }),
    { seed: 20, numRuns: 5000 },
  );
});

test('ordinary addresses are let through, with and without a query', () => {
  const segment = fc.stringMatching(/^[A-Za-z0-9_:~-][A-Za-z0-9._:~-]{0,20}$/);
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 6 }), fc.webQueryParameters(), (segments, query) => {
      expect(readTarget(`/${segments.join('/')}?${query}`)?.segments).toEqual(segments);
    }),
    { seed: 21, numRuns: 500 },
  );
  expect(readTarget('/')?.segments).toEqual(['']);
});
