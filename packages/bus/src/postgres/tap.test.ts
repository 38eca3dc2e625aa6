import { expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import fc from 'fast-check';
import { createNoteReader, toNotes } from './tap.ts';

const event = (text: string) => ({ id: 'event', data: { text } }) as unknown as Envelope;

test('any event fits into notifications and comes out of them as it went in', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(3_000), (unit, times) => {
      const sent = event(unit.repeat(times));
      const notes = toNotes(sent);
      for (const note of notes) expect(Buffer.byteLength(note)).toBeLessThan(8_000);
      const read = createNoteReader();
      expect(notes.map(read).filter((heard) => heard !== undefined)).toEqual([sent]);
    }),
    { seed: 7, numRuns: 100 },
  ));

test('no two notifications are alike: of such Postgres would deliver one', () => {
  const notes = [event('x'.repeat(40_000)), event('x'.repeat(40_000))].flatMap(toNotes);
  expect(new Set(notes).size).toBe(notes.length);
});

test('a listener that comes in the middle of an event hears the next one whole', () => {
  const read = createNoteReader();
  const [first, second] = [event('a'.repeat(20_000)), event('b'.repeat(20_000))];
  const heard = [...toNotes(first).slice(1), ...toNotes(second)].map(read);
  expect(heard.at(-1)).toEqual(second);
});
