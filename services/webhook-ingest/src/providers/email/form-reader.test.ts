import { describe, expect, test } from '@jest/globals';
import { parseForm } from './form-fields-reader.ts';
import { readForm } from './form-reader.ts';

const type = 'multipart/form-data; boundary=b';
const parts = (count: number) => '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(count);

describe('a form with too many fields', () => {
  test.each([
    ['parts', type, parts(100_000)],
    ['pairs', '', 'a=1&'.repeat(1_000_000)],
  ])('is left there, and the rest of it unread: %s', async (_, contentType, text) => {
    const body = Buffer.from(text);
    let seen = 0;
    const subarray = (from: number, to: number) => {
      seen = Math.max(seen, to);
      return Buffer.prototype.subarray.call(body, from, to);
    };
    await expect(parseForm(contentType, Object.assign(body, { subarray }))).rejects.toThrow('too many fields');
    expect(seen).toBeLessThan(body.length / 4);
  });
});

test('a large form is read apart, and comes out as a small one does', async () => {
  const file = Buffer.alloc(300_000, 'xyz');
  const large = Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="f"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n'),
    file,
    Buffer.from(`\r\n${parts(1)}--b--\r\n`),
  ]);
  const form = await readForm(type, large);
  expect(form.fields).toEqual(await parseForm(type, large));
  expect(form.field('f')?.bytes.equals(file)).toBe(true);
  expect(form.text('a')).toBe('1');
  await expect(readForm(type, large.subarray(0, 200_000))).rejects.toThrow('no form');
});
