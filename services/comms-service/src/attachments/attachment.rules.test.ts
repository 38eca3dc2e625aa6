import { expect, test } from '@jest/globals';
import { mostAttachmentBytes } from '@ops/contracts/resources/communication';
import fc from 'fast-check';
import {
  afterFailure,
  fileName,
  isPicture,
  mostTries,
  reasonAgainstName,
  shownType,
  tooMuch,
} from './attachment.rules.ts';

test.each([
  ['Passport.pdf', 'application/pdf', 'Passport.pdf'],
  ['Ausweis Zürich 日本.pdf', 'application/pdf', 'Ausweis Zürich 日本.pdf'],
  ['../../etc/passwd', 'text/plain', 'passwd'],
  ['C:\\temp\\scan.png', 'image/png', 'scan.png'],
  ['a\r\nSet-Cookie: x.pdf', 'application/pdf', 'aSet-Cookie: x.pdf'],
  ['photo\u202efdp.exe', 'application/pdf', 'photofdp.exe'],
  ['.htaccess', 'text/plain', 'htaccess'],
  ['..', 'application/pdf', 'file.pdf'],
  ['folder/', 'image/jpeg', 'file.jpg'],
  [null, 'image/jpeg', 'file.jpg'],
  [null, 'audio/ogg; codecs=opus', 'file.ogg'],
  [null, 'application/x-unheard-of', 'file'],
])('%j of %s is named %s', (name, mediaType, expected) => {
  expect(fileName(name, mediaType)).toBe(expected);
});

test('whatever a file was called, its name is one line, no path and no more than 255 characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (name) => {
      const named = fileName(name, 'text/plain');
      expect(named).toMatch(/^[^\p{Cc}/\\.][^\p{Cc}/\\]*$/u);
      expect(named.length).toBeLessThanOrEqual(255);
      expect(named.isWellFormed()).toBe(true);
    }),
    { seed: 20_260_311, numRuns: 500 },
  );
});

test.each(['image/png', 'IMAGE/JPEG', 'image/gif', 'image/webp; x=1'])('%s is shown as a picture', (type) => {
  expect(isPicture(type)).toBe(true);
});

const png = '\x89PNG\r\n\x1a\n....';

test.each([
  ['image/png', png, 'image/png'],
  ['image/jpeg', png, 'image/png'],
  ['image/jpeg', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['IMAGE/GIF', 'GIF89a', 'image/gif'],
  ['image/webp; x=1', 'RIFF\0\0\0\0WEBPVP8 ', 'image/webp'],
  ['audio/ogg; codecs=opus', 'OggS', 'audio/ogg'],
  ['audio/mp4', '\0\0\0 ftypisom', 'audio/mp4'],
  ['audio/mpeg', 'ID3', 'audio/mpeg'],
  ['application/pdf; x=1', '%PDF-1.7', 'application/pdf'],
])('%s that begins with %j is shown as %s', (type, begins, shown) => {
  expect(shownType(type, Buffer.from(begins, 'latin1'))).toBe(shown);
});

test.each([
  ['image/png', '<html>'],
  ['image/png', ''],
  ['image/png', 'OggS'],
  ['audio/ogg', png],
  ['audio/ogg', '<script>'],
  ['image/svg+xml', png],
  ['text/html', png],
  ['application/pdf', '%PDF'],
  ['application/xhtml+xml', png],
  ['', png],
  ['toString', png],
  ['image/png\r\nx: y', png],
])('%j that begins with %j is only ever downloaded', (type, begins) => {
  expect(shownType(type, Buffer.from(begins, 'latin1'))).toBeNull();
});

test('an e-mail takes 20 MiB in all', () => {
  expect(tooMuch('EMAIL', [mostAttachmentBytes])).toBe(false);
  expect(tooMuch('EMAIL', [mostAttachmentBytes, 1])).toBe(true);
  expect(tooMuch('MESSAGING_APP', [mostAttachmentBytes])).toBe(false);
});

const now = new Date('2026-03-01T12:00:00Z');

test('what fails is tried later and later, for about a day, and then no more', () => {
  const outcomes = Array.from({ length: mostTries }, (_, n) => afterFailure(n + 1, false, now));
  const waits = outcomes.map((one) => (one.state === 'PENDING' ? one.next_try_at.getTime() - now.getTime() : null));
  expect(waits.at(-1)).toBeNull();
  const later = waits.slice(0, -1) as number[];
  expect(later).toEqual([...later].sort((a, b) => a - b));
  const hours = later.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(12);
  expect(hours).toBeLessThan(48);
  expect(afterFailure(1, true, now)).toEqual({ state: 'FAILED' });
});

test.each(['setup.exe', 'SETUP.EXE', 'letter.pdf.js', 'a.bat. ', 'permit.lnk'])('%j is a program', (name) => {
  expect(reasonAgainstName(name)).toMatch(/^ends in \.\w+: programs are refused/);
});

test.each(['permit.pdf', 'exe', 'exe.txt', 'Komm.docx', 'no ending'])('%j is none', (name) => {
  expect(reasonAgainstName(name)).toBeUndefined();
});
