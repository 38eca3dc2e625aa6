import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { usualPace } from './body.rules.ts';
import { readBody } from './body-reader.ts';
import { createIntake, type Intake } from './intake-service.ts';

const from = { network: 'a', proven: false };
const mostBytes = 200_000;

/** What is counted at a time, and at most. */
function counting() {
  const inner = createIntake();
  const counted = { now: 0, most: 0 };
  const intake: Intake = {
    begin(arriving) {
      const claim = inner.begin(arriving);
      let own = 0;
      return {
        ...claim,
        grow(bytes) {
          own += bytes;
          counted.now += bytes;
          counted.most = Math.max(counted.most, counted.now);
          claim.grow(bytes);
        },
        release() {
          counted.now -= own;
          own = 0;
          claim.release();
        },
      };
    },
  };
  return { intake, counted };
}

test('a body comes out as it went in, however it is cut; what is counted follows what came, and comes back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 6 }),
      fc.boolean(),
      async (cuts, told) => {
        const whole = Buffer.concat(cuts);
        const { intake, counted } = counting();
        const stream = new PassThrough();
        const reading = readBody(stream, from, intake, { mostBytes, announced: told ? whole.length : undefined });
        for (const cut of cuts) stream.write(cut);
        stream.end();
        if (whole.length > mostBytes) return expect(reading).rejects.toMatchObject({ status: 413 });
        const body = await reading;
        expect(body.bytes.equals(whole)).toBe(true);
        expect(counted.most).toBeLessThanOrEqual(Math.max(16 * 1024, 2 * whole.length));
        body.release();
        expect(counted.now).toBe(0);
      },
    ),
  );
});

test('byte by byte it takes no more room than at once', async () => {
  const { intake, counted } = counting();
  const stream = new PassThrough();
  const reading = readBody(stream, from, intake, { mostBytes, announced: undefined });
  for (let n = 0; n < 50_000; n++) stream.write('a');
  stream.end();
  expect((await reading).bytes.length).toBe(50_000);
  expect(counted.most).toBe(64 * 1024);
});

describe('nothing is held for a body that', () => {
  const pace = { ...usualPace, mostSilentMs: 20 };
  test.each<[string, number, (stream: PassThrough) => unknown]>([
    ['stays silent', 503, (stream) => stream.write('a')],
    ['breaks off', 400, (stream) => stream.write('a', () => stream.destroy())],
    ['fails', 400, (stream) => stream.destroy(new Error('reset'))],
    ['grows too long', 413, (stream) => stream.write(Buffer.alloc(mostBytes + 1))],
  ])('%s', async (_, status, act) => {
    const { intake, counted } = counting();
    const stream = new PassThrough().on('error', () => {});
    const reading = readBody(stream, from, intake, { mostBytes, announced: undefined, pace });
    act(stream);
    await expect(reading).rejects.toMatchObject({ status });
    expect(counted.now).toBe(0);
  });

  test('is announced as too long', async () => {
    const { intake, counted } = counting();
    const limits = { mostBytes, announced: mostBytes + 1 };
    await expect(readBody(new PassThrough(), from, intake, limits)).rejects.toMatchObject({ status: 413 });
    expect(counted.most).toBe(0);
  });
});
