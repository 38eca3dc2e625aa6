import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { returnAddress } from './return-to.ts';

const origin = 'https://ops.example';

test.each([
  ['/docs', '/docs'],
  ['/docs?a=1#b', '/docs?a=1#b'],
  ['/customers/C-1/../C-2', '/customers/C-2'],
])('%s leads to %s', (wanted, page) => {
  expect(returnAddress(wanted, origin)).toBe(`${origin}${page}`);
});

test.each([
  undefined,
  '',
  ['/docs', '/docs'],
  'docs',
  'https://elsewhere.example/',
  '//elsewhere.example',
  '///elsewhere.example',
  '/\\elsewhere.example',
  '\\/elsewhere.example',
  '/\t/elsewhere.example',
  '/\n/elsewhere.example',
  '\t//elsewhere.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '/auth/login',
  '/x/../auth/logout',
  `/${'x'.repeat(2000)}`,
])('%j leads home', (wanted) => {
  expect(returnAddress(wanted, origin)).toBe(`${origin}/`);
});

test('whatever is asked for, the way back stays here', () => {
  const piece = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    '@',
    ':',
    '?',
    '#',
    '%2f',
    '%5c',
    '%09',
    '\t',
    'elsewhere.example',
    'https:',
    '',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      for (const wanted of [pieces.join(''), `/${pieces.join('')}`]) {
        const address = returnAddress(wanted, origin);
        expect(address.startsWith(`${origin}/`)).toBe(true);
        expect(new URL(address).origin).toBe(origin);
      }
    }),
    { seed: 22, numRuns: 3000 },
  );
});
