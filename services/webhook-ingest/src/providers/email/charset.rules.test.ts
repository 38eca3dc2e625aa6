import { isUtf8 } from 'node:buffer';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { decoded } from './charset.rules.ts';

const inCharset = (charset: string, text: string): Uint8Array => iconv.encode(text, charset);

// First, while there is room for names.
test('a name is remembered only if it may be one', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const used = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const before = used();
  for (let n = 0; n < 400; n++) decoded(Buffer.from('plain'), `${'x'.repeat(100_000)}-${n}`);
  expect(used() - before).toBeLessThan(20);
});

test.each([
  ['the one that is named', inCharset('koi8-r', 'Привет'), ['koi8-r'], 'Привет'],
  ['one that only iconv knows', inCharset('cp850', 'Grüße, José'), ['cp850'], 'Grüße, José'],
  ['one under its name in Windows', inCharset('cp932', 'カナ①'), ['cp932'], 'カナ①'],
  ['UTF-7', inCharset('utf-7', 'Größe'), ['unicode-1-1-utf-7'], 'Größe'],
  ['none, but UTF-8', Buffer.from('Grüße'), [], 'Grüße'],
  ['none, and not UTF-8', Buffer.from('Grüße', 'latin1'), [], 'Grüße'],
  ['US-ASCII over UTF-8', Buffer.from('Grüße'), ['us-ascii'], 'Grüße'],
  ['US-ASCII over Latin 1', Buffer.from('Grüße', 'latin1'), ['us-ascii'], 'Grüße'],
  ['Latin 1 over UTF-8, as programs name it that do not know', Buffer.from('Grüße'), ['iso-8859-1'], 'Grüße'],
  ['Latin 2 over UTF-8', Buffer.from('Źródło, gęś, żółw'), ['iso-8859-2'], 'Źródło, gęś, żółw'],
  ['UTF-8 over Latin 1', Buffer.from('Grüße', 'latin1'), ['utf-8'], 'Grüße'],
  ['an unknown one over UTF-8', Buffer.from('Grüße'), ['x-unknown'], 'Grüße'],
  ['one that is no charset', Buffer.from('Grüße'), ['base64'], 'Grüße'],
  ['none, but a hint', inCharset('koi8-r', 'Привет'), [undefined, 'koi8-r'], 'Привет'],
  ['a hint over UTF-8', Buffer.from('Привет'), [undefined, 'koi8-r'], 'Привет'],
  ['none, but escapes', inCharset('iso-8859-1', '\x1b$B$9$_\x1b(B'), [], 'すみ'],
  ['UTF-8, cut within a letter', Buffer.from('Grüße und Öl').subarray(0, -2), ['utf-8'], 'Grüße und Ã'],
  [
    'UTF-8 with a line of Latin 1',
    Buffer.concat([Buffer.from('Größe\n'), Buffer.from('Öl', 'latin1')]),
    ['utf-8'],
    'Größe\nÖl',
  ],
  ['two bytes that mean something in both', Buffer.from('通', 'utf8'), ['utf-8'], '通'],
  ['a Persian word that would be UTF-8', inCharset('windows-1256', 'سگ'), ['windows-1256'], 'سگ'],
] as [string, Uint8Array, (string | undefined)[], string][])('bytes in %s', (_, bytes, names, text) => {
  expect(decoded(bytes, ...names)).toBe(text);
});

/** Letters of a language in a charset of its own. */
const alphabets: [string, string][] = [
  ['utf-8', 'aäЯ語😀'],
  ['iso-8859-1', 'abcäöüßéñ'],
  ['iso-8859-2', 'abcłżščř'],
  ['iso-8859-9', 'abcğışç'],
  ['iso-8859-15', 'abc€œé'],
  ['windows-1251', 'абвгґїє'],
  ['windows-1252', 'abc“”–€'],
  ['windows-1256', 'ابتثجپگ'],
  ['koi8-u', 'абвгїє'],
  ['cp850', 'abcäöüßéñ'],
  ['shift_jis', 'abcかなカナ漢字'],
  ['gb18030', 'abc汉字𠀀'],
  ['big5', 'abc漢字'],
  ['euc-kr', 'abc한글'],
];

test('any words in any charset come back, whether or not it is the first guess', () => {
  const words = fc.constantFrom(...alphabets).chain(([charset, letters]) =>
    fc.record({
      charset: fc.constant(charset),
      text: fc.string({ unit: fc.constantFrom(...letters, ' ', '.'), maxLength: 60 }),
    }),
  );
  fc.assert(
    fc.property(words, ({ charset, text }) => {
      const bytes = inCharset(charset, text);
      if (charset === 'utf-8' || !isUtf8ByChance(bytes)) expect(decoded(bytes, charset)).toBe(text);
      expect(decoded(Buffer.from(text), undefined, charset)).toBe(text);
    }),
    { numRuns: 2_000 },
  );
});

/** Four letters and more that are UTF-8 as well are taken for it: no more is to be known of them. */
const isUtf8ByChance = (bytes: Uint8Array): boolean =>
  isUtf8(bytes) && bytes.filter((byte) => byte >= 0xc0).length >= 4;

test('no bytes are too strange: none is refused, and what is ASCII stays', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), (bytes, charset) => {
      expect(typeof decoded(bytes, charset)).toBe('string');
      expect(decoded(Buffer.from('plain'), charset)).toBe('plain');
    }),
  );
});
