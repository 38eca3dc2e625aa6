import { expect, test } from '@jest/globals';
import { logLines } from '../../test/app.ts';
import { createReadiness } from './health.ts';

const fine = async () => {};

test('all parts there: ready', async () => {
  await createReadiness({ database: fine, bus: fine }, logLines().logger)();
});

test('every part that is down is named to the caller; why is told to the log alone', async () => {
  const { lines, logger } = logLines();
  const down = async () => {
    throw new Error('10.0.0.7 refused');
  };
  const ready = createReadiness({ database: down, bus: down, disk: fine }, logger);
  await expect(ready()).rejects.toMatchObject({
    status: 503,
    detail: 'Not reachable: database, bus',
    headers: { 'Retry-After': '2' },
  });
  expect(lines.join('')).toContain('10.0.0.7');
});

test('a part that does not answer in time is down', async () => {
  const ready = createReadiness({ bus: () => new Promise(() => {}) }, logLines().logger, 20);
  await expect(ready()).rejects.toMatchObject({ status: 503, detail: 'Not reachable: bus' });
});

test('a part whose check throws at once is down', async () => {
  const broken = () => {
    throw new Error('no connection');
  };
  await expect(createReadiness({ bus: broken }, logLines().logger)()).rejects.toMatchObject({ status: 503 });
});

test('many askers share one round of checks, and the next round asks again', async () => {
  let asked = 0;
  const ready = createReadiness({ database: async () => void asked++ }, logLines().logger);
  await Promise.all([ready(), ready(), ready()]);
  expect(asked).toBe(1);
  await ready();
  expect(asked).toBe(2);
});
