import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dateIn } from './date.rules.ts';

test.each([
  ['Tue, 5 May 2026 09:00:00 +0200 (CEST)', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 +02:00', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 +02', '2026-05-05T07:00:00.000Z'],
  ['5 May 2026 09:00', '2026-05-05T09:00:00.000Z'],
  ['05 May 26 09:00:00 -0530', '2026-05-05T14:30:00.000Z'],
  ['5 May 99 09:00:00 GMT', '1999-05-05T09:00:00.000Z'],
  ['5 May 126 09:00:00 GMT', '2026-05-05T09:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 CET', '2026-05-05T08:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 MEZ', '2026-05-05T08:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 CEST', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 MESZ', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 EDT', '2026-05-05T13:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 GMT+0200', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 GMT+2', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 +0200 CEST', '2026-05-05T07:00:00.000Z'],
  ['Tue, 5 May 2026 09:00:00 XYZ', '2026-05-05T09:00:00.000Z'],
  ['Tue May  5 09:00:00 2026', '2026-05-05T09:00:00.000Z'],
  ['Tue May  5 09:00:00 CEST 2026', '2026-05-05T07:00:00.000Z'],
  ['May 5, 2026 9:00:01 PM EST', '2026-05-06T02:00:01.000Z'],
  ['Tuesday, May 5, 2026 12:30 AM', '2026-05-05T00:30:00.000Z'],
  ['(sent) Tue (day), 5 (of (the)) May 2026 09:00:00 +0000', '2026-05-05T09:00:00.000Z'],
  ['5-May-2026 09.00.30 UT', '2026-05-05T09:00:30.000Z'],
  ['Di, 5 Mai 2026 09:00:00 +0200', '2026-05-05T07:00:00.000Z'],
  ['Do, 3 Dez 2026 09:00:00 +0100', '2026-12-03T08:00:00.000Z'],
  ['Dienstag, 3. März 2026 09:00:00 +0100', '2026-03-03T08:00:00.000Z'],
  ['mar. 5 mai 2026 09:00:00 +0200', '2026-05-05T07:00:00.000Z'],
  ['05.05.2026 09:00 MESZ', '2026-05-05T07:00:00.000Z'],
  ['2026-05-05T09:00:00Z', '2026-05-05T09:00:00.000Z'],
  ['2026-05-05T09:00:00.250+02:00', '2026-05-05T07:00:00.250Z'],
  ['2026-05-05 09:00:00 +0200', '2026-05-05T07:00:00.000Z'],
  ['20260505T090000Z', '2026-05-05T09:00:00.000Z'],
  ['2026/05/05 09:00', '2026-05-05T09:00:00.000Z'],
  ['Mon, 6 Jun 2005 22:21:22 +0200', '2005-06-06T20:21:22.000Z'],
  ['Wed, 31 Dec 1969 23:59:59 -0000', '1969-12-31T23:59:59.000Z'],
  ['Sat, 30 Jun 3609 09:33:50 +0000', '3609-06-30T09:33:50.000Z'],
  ['Tue, 30 Jun 2026 23:59:60 +0000', '2026-07-01T00:00:00.000Z'],
])('%s is %s', (given, instant) => {
  expect(dateIn(given)?.toISOString()).toBe(instant);
});

test.each([
  '<HR>',
  'today',
  '',
  'Tue',
  '31 Feb 2026 09:00:00 +0000',
  '5 May 2026 25:00:00 +0000',
  '5 May 2026 09:61 +0000',
  '5 May 2026 09:00:00 +9900',
  '05/06/2026 09:00',
  '5 May',
])('%s is no date', (given) => {
  expect(dateIn(given)).toBeNull();
});

test('what is written as mail and the web write it is read back, in any zone', () => {
  const noInvalidDate = true;
  const instants = fc.date({ min: new Date('1970-01-02'), max: new Date('2099-12-31'), noInvalidDate });
  fc.assert(
    fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000);
      const two = (value: number) => String(Math.abs(value)).padStart(2, '0');
      const zone = (colon: string) =>
        `${offset < 0 ? '-' : '+'}${two(Math.trunc(offset / 60))}${colon}${two(offset % 60)}`;
      const mail = local.toUTCString().replace('GMT', zone(''));
      expect(dateIn(mail)?.getTime()).toBe(Math.floor(instant.getTime() / 1000) * 1000);
      expect(dateIn(local.toISOString().replace('Z', zone(':')))).toEqual(instant);
      expect(dateIn(instant.toString())?.getTime()).toBe(Math.floor(instant.getTime() / 1000) * 1000);
    }),
  );
});
