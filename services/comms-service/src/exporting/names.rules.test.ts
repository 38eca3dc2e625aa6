import { posix, win32 } from 'node:path';
import { expect, test } from '@jest/globals';
import { uuidv7 } from '@ops/test-kit/builders';
import fc from 'fast-check';
import { nameOfArchive, nameOnDisk, pathOfBody, pathOfFile } from './names.rules.ts';

const id = uuidv7();
const file = (name: string | null, more: object = {}) =>
  pathOfFile({ id, role: 'file', name, media_type: 'text/plain', ...more });

test.each([
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\x.pdf', 'x.pdf'],
  ['/etc/shadow', 'shadow'],
  ['C:\\x.pdf', 'x.pdf'],
  ['..', 'file.txt'],
  ['', 'file.txt'],
  [null, 'file.txt'],
  ['.htaccess', 'htaccess'],
  ['a\u0000b\r\n.pdf', 'ab.pdf'],
  ['fdp\u202eexe.pdf', 'fdpexe.pdf'],
  ['a:b*c?"<d>|e.pdf', 'a_b_c___d__e.pdf'],
  ['con.txt', '_con.txt'],
  ['COM1', '_COM1'],
  ['ends. . ', 'ends'],
  ['<img src=x onerror=alert(1)>.png', '_img src=x onerror=alert(1)_.png'],
])('a file called %j is %s, in a folder of its own', (name, kept) => {
  expect(file(name)).toBe(`files/${id}/${kept}`);
});

test('the HTML of a mail is kept as text, so that nobody runs it by looking', () => {
  expect(file('x.html', { role: 'html' })).toBe(`files/${id}/message.html.txt`);
});

test('whatever a file is called, it lies in its folder on every system, under a name that is not too long', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), fc.string({ maxLength: 400 })), (name) => {
      const path = file(name);
      for (const system of [posix, win32]) expect(system.normalize(path).split(system.sep)).toHaveLength(3);
      const last = path.split('/').at(-1) ?? '';
      expect(Buffer.byteLength(last)).toBeLessThanOrEqual(201);
      expect(last.isWellFormed() && last.length > 0).toBe(true);
    }),
  );
});

test('a long name keeps how it ends', () => {
  expect(nameOnDisk(`${'ü'.repeat(300)}.pdf`)).toBe(`${'ü'.repeat(98)}.pdf`);
});

test('an id from elsewhere that is none is no part of a path', () => {
  expect(() => pathOfBody('../../x', null)).toThrow();
  expect(() => file('x', { id: '../x' })).toThrow();
  expect([pathOfBody(id, 'application/json; charset=utf-8'), pathOfBody(id, null)]).toEqual([
    `webhook-ingest/bodies/${id}.json`,
    `webhook-ingest/bodies/${id}.txt`,
  ]);
});

test('the archive is called after the customer, without what a file cannot be called', () => {
  expect(nameOfArchive('A:1', new Date('2026-03-01T12:00:00Z'))).toBe('customer-A-1-2026-03-01.zip');
});
