import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { logLines } from '../../test/app.ts';
import { loadConfig } from './config.ts';
import type { Job } from './every.ts';
import { cronSetting, hasPassed, runOnSchedule, timeZoneSetting } from './scheduler.ts';

const hour = 3_600_000;
let job: Job | undefined;
let turns: string[];
let work: () => Promise<void>;
const log = logLines();

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-03-27T12:00:00Z') });
  turns = [];
  work = async () => {};
});
afterEach(async () => {
  await job?.stop();
  jest.useRealTimers();
});

function start(cron = '30 3 * * *', timeZone = 'UTC'): void {
  job = runOnSchedule({ name: 'nightly', cron, timeZone, logger: log.logger }, (slot) => {
    turns.push(slot.toISOString());
    return work();
  });
}

test('runs once at each time the expression names, and says which time it is', async () => {
  start();
  await jest.advanceTimersByTimeAsync(15 * hour);
  expect(turns).toEqual([]);
  await jest.advanceTimersByTimeAsync(33 * hour);
  expect(turns).toEqual(['2026-03-28T03:30:00.000Z', '2026-03-29T03:30:00.000Z']);
});

test('keeps to the clock on the wall of its time zone, in summer and in winter', async () => {
  start('30 3 * * *', 'Europe/Zurich');
  await jest.advanceTimersByTimeAsync(60 * hour);
  expect(turns).toEqual(['2026-03-28T02:30:00.000Z', '2026-03-29T01:30:00.000Z']);
});

test.each([
  ['reaches a time that the clocks skip as they go forward', '2026-03-28T12:00:00Z', '2026-03-29T01:30:00.000Z'],
  ['reaches a time once that comes twice as they go back', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z'],
])('%s', async (_, now, slot) => {
  jest.setSystemTime(Date.parse(now));
  start('30 2 * * *', 'Europe/Zurich');
  await jest.advanceTimersByTimeAsync(20 * hour);
  expect(turns).toEqual([slot]);
});

test('a clock that was a year ahead and is put right leaves nobody waiting', async () => {
  jest.setSystemTime(Date.parse('2027-03-27T12:00:00Z'));
  start();
  jest.setSystemTime(Date.parse('2026-03-28T03:00:00Z'));
  await jest.advanceTimersByTimeAsync(hour);
  expect(turns).toEqual(['2026-03-28T03:30:00.000Z']);
});

test('a machine that slept over several nights catches up once', async () => {
  start();
  jest.setSystemTime(Date.parse('2026-03-30T07:10:00Z'));
  await jest.advanceTimersByTimeAsync(16 * hour);
  expect(turns).toEqual(['2026-03-30T03:30:00.000Z']);
});

test('a turn still at work is not joined by another, and a stop waits for it', async () => {
  const atWork = Promise.withResolvers<void>();
  work = () => atWork.promise;
  start('* * * * *');
  await jest.advanceTimersByTimeAsync(hour / 6);
  expect(turns).toHaveLength(1);
  let stopped = false;
  const stop = job?.stop().then(() => {
    stopped = true;
  });
  await jest.advanceTimersByTimeAsync(hour);
  expect([stopped, turns.length]).toEqual([false, 1]);
  atWork.resolve();
  await stop;
  expect(stopped).toBe(true);
});

test('a turn that fails is logged, and the next one comes all the same', async () => {
  work = () => Promise.reject(new Error('no disk'));
  start('0 * * * *');
  await jest.advanceTimersByTimeAsync(2 * hour);
  expect(turns).toHaveLength(2);
  expect(log.lines.filter((line) => line.includes('no disk') && line.includes('nightly'))).toHaveLength(2);
});

test('after a stop nothing begins', async () => {
  start();
  await job?.stop();
  await jest.advanceTimersByTimeAsync(48 * hour);
  expect(turns).toEqual([]);
});

test.each<[string, string, string, string, boolean]>([
  ['before the time of the day after', 'UTC', '2026-03-27', '2026-03-28T01:59:00Z', false],
  ['at it', 'UTC', '2026-03-27', '2026-03-28T02:00:00Z', true],
  ['on the same day, which had its run', 'UTC', '2026-03-28', '2026-03-28T23:00:00Z', false],
  ['before the time of a later day', 'UTC', '2026-03-26', '2026-03-28T01:00:00Z', true],
  ['years later', 'UTC', '2019-01-01', '2026-03-28T01:00:00Z', true],
  ['where the day is ahead', 'Pacific/Kiritimati', '2026-03-27', '2026-03-27T12:00:00Z', true],
  ['where the day is behind', 'Pacific/Pago_Pago', '2026-03-27', '2026-03-28T12:00:00Z', false],
  ['in the night whose clocks go forward, before', 'Europe/Zurich', '2026-03-28', '2026-03-29T00:59:00Z', false],
  ['in the night whose clocks go forward, after', 'Europe/Zurich', '2026-03-28', '2026-03-29T01:00:00Z', true],
  ['in the night whose clocks go back', 'Europe/Zurich', '2026-10-24', '2026-10-24T23:59:00Z', false],
  ['in the night whose clocks go back, after', 'Europe/Zurich', '2026-10-24', '2026-10-25T00:00:00Z', true],
])('whether 02:00 has passed, %s', (_, zone, since, now, passed) => {
  expect(hasPassed('0 2 * * *', zone, since, new Date(now))).toBe(passed);
});

test('a time that comes once a week passes once a week', () => {
  const passedBy = (now: string) => hasPassed('0 2 * * 1', 'UTC', '2026-03-02', new Date(now));
  expect([passedBy('2026-03-08T23:59:00Z'), passedBy('2026-03-09T02:00:00Z')]).toEqual([false, true]);
});

const settings = z.object({ CRON: cronSetting('30 3 * * *'), ZONE: timeZoneSetting });

test.each([
  [{}, { CRON: '30 3 * * *', ZONE: 'UTC' }],
  [
    { CRON: '', ZONE: '' },
    { CRON: '30 3 * * *', ZONE: 'UTC' },
  ],
  [{ CRON: 'off' }, { CRON: undefined, ZONE: 'UTC' }],
  [
    { CRON: '*/5 * * * *', ZONE: 'Europe/Zurich' },
    { CRON: '*/5 * * * *', ZONE: 'Europe/Zurich' },
  ],
])('the settings %j are read as %j', (given, read) => {
  expect(loadConfig(settings, given)).toEqual(read);
});

test.each(['@daily', ' 0  2 * * Mon ', '0 2 L * *', '30 0 2 * * *', '0 0 2 * * *'])(
  'a time may be named as %j, and passes',
  (CRON) => {
    const cron = loadConfig(settings, { CRON }).CRON as string;
    expect(hasPassed(cron, 'UTC', '2026-02-22', new Date('2026-03-02T07:00:00Z'))).toBe(true);
  },
);

test.each(['0 2 * *', 'H 2 * * *', '0 2 30 2 *', '@never'])('%j names no time', (CRON) => {
  expect(() => loadConfig(settings, { CRON })).toThrow(/CRON: expected a cron expression/);
});

test('a setting that is no time names what is expected', () => {
  expect(() => loadConfig(settings, { CRON: '61 * * * *', ZONE: 'Zurich' })).toThrow(
    /CRON: expected a cron expression.*\n.*ZONE: expected a time zone/,
  );
});
