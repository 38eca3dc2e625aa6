import { expect, test } from '@jest/globals';
import { communicationType, direction, isInternal } from '@ops/contracts/resources/communication';
import { sampleRecord } from '../../test/record.ts';
import { communicationChanged, isOutgoing, windowOpenUntil } from './communication-events.ts';

const now = new Date('2026-03-01T12:00:00.000Z');

test('no note and no call log ever goes to a sender, whatever its direction', () => {
  for (const type of communicationType.options)
    for (const way of direction.options)
      expect(isOutgoing(sampleRecord({ type, direction: way }))).toBe(way === 'OUTBOUND' && !isInternal(type));
});

test.each([
  [null, null],
  ['2026-02-28T12:00:00.000000Z', null],
  ['2026-02-28T12:00:00.001000Z', '2026-03-01T12:00:00.001Z'],
  ['2026-03-01T11:00:00.000000Z', '2026-03-02T11:00:00.000Z'],
])('after an inbound message at %s the window is open until %s', (newest, until) => {
  expect(windowOpenUntil(newest, now)).toBe(until);
});

test('a change is told without the words of the record', () => {
  const told = communicationChanged(
    sampleRecord({ body: 'in confidence', subject: 'in confidence' }),
    'created',
    'now',
  );
  expect(JSON.stringify(told)).not.toContain('in confidence');
});
