import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseForm } from './form-fields-reader.ts';
import { fieldsNamed } from './signature-fields.rules.ts';

const names = ['timestamp', 'token', 'signature'];
const value = fc.stringMatching(/^[0-9a-f ]{0,64}$/);
const anything = fc.oneof(fc.string(), fc.constantFrom('--limit', '\r\n--lim', 'name="token"\r\n\r\n1', 'a&token=2'));
const form = fc.uniqueArray(
  fc.oneof(fc.tuple(fc.constantFrom(...names), value), fc.tuple(fc.stringMatching(/^[a-z-]{1,12}$/), anything)),
  { selector: ([name]) => name, maxLength: 8 },
);
const type = 'multipart/form-data; boundary=limit';
const parts = (fields: readonly (readonly [string, string])[]) =>
  Buffer.from(
    `${fields.map(([name, text]) => `--limit\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`).join('')}--limit--\r\n`,
  );

test('of any form they are the fields that reading all of it gives', async () => {
  await fc.assert(
    fc.asyncProperty(form, fc.boolean(), async (fields, plain) => {
      const [contentType, body] = plain
        ? [
            'application/x-www-form-urlencoded',
            Buffer.from(new URLSearchParams(fields.map(([...pair]) => pair)).toString()),
          ]
        : [type, parts(fields)];
      const read = (await parseForm(contentType, body)).filter(({ name }) => names.includes(name));
      expect(fieldsNamed(contentType, body, names)).toEqual(
        new Map(read.map(({ name, bytes }) => [name, String(bytes)])),
      );
    }),
    { numRuns: 300 },
  );
});

describe('what is looked at is bounded', () => {
  const late: [string, string][] = [
    ...Array.from({ length: 1_000 }, (_, n): [string, string] => [`f${n}`, '']),
    ['token', '1'],
  ];

  test('by the number of fields', () => {
    expect(fieldsNamed(type, parts(late), names)).toEqual(new Map());
    expect(fieldsNamed(type, parts(late.slice(1)), names)).toEqual(new Map([['token', '1']]));
    const plain = (fields: [string, string][]) => Buffer.from(new URLSearchParams(fields).toString());
    expect(fieldsNamed('', plain(late), names)).toEqual(new Map());
    expect(fieldsNamed('', plain(late.slice(1)), names)).toEqual(new Map([['token', '1']]));
  });

  test('by the length of a value', () => {
    expect(fieldsNamed(type, parts([['token', 'x'.repeat(2_000)]]), names)).toEqual(new Map([['token', '']]));
  });

  test('a form that is none gives none', () => {
    for (const body of ['', '--limit', '--limit\r\nname="token"', '&&&', '=', 'token'])
      for (const contentType of [type, ''])
        expect([...fieldsNamed(contentType, Buffer.from(body), names).values()]).toEqual([]);
  });
});
