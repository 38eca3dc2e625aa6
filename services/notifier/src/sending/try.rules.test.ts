import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { afterTry, type RetryPolicy } from './try.rules.ts';

const now = new Date('2026-03-01T10:00:00Z');
const hour = 3_600_000;
const policy: RetryPolicy = { tries: 6, delaysMs: [10_000, 60_000, 600_000, hour, 4 * hour] };
const message = 'The provider takes no more from us at the moment';
const busy = (retryAfterMs?: number) => ({ kind: 'not_taken', reason: 'HTTP 429', message, retryAfterMs }) as const;

test('tried at most six times and within twelve hours, whatever the provider asks for and chance decides', () => {
  const asked = fc.array(fc.option(fc.nat(13 * hour), { nil: undefined }), { minLength: 6, maxLength: 6 });
  fc.assert(
    fc.property(asked, fc.double({ min: 0, max: 1, noNaN: true }), (waits, random) => {
      const expires_at = new Date(now.getTime() + 12 * hour);
      let at = now;
      let tries = 0;
      for (;;) {
        tries += 1;
        const next = afterTry({ tries, expires_at, to: null }, busy(waits[tries - 1]), at, policy, random);
        if ('news' in next) {
          const failure = { code: 'expired', message: `Not taken in ${tries} tries. ${message}`, detail: 'HTTP 429' };
          expect(next.news).toMatchObject({ status: 'FAILED', failure });
          break;
        }
        const wait = next.tryAgainAt.getTime() - at.getTime();
        expect(wait).toBeGreaterThanOrEqual(Math.max(waits[tries - 1] ?? 0, policy.delaysMs[tries - 1] ?? 0));
        at = next.tryAgainAt;
        expect(at.getTime()).toBeLessThanOrEqual(expires_at.getTime());
      }
      expect(tries).toBeLessThanOrEqual(6);
    }),
  );
});

test('only what was proven not to have been taken is ever tried again', () => {
  const attempt = { tries: 1, expires_at: new Date(now.getTime() + 12 * hour), to: '+447700900123' };
  const outcomes = [
    { kind: 'accepted', providerMessageId: 'SM1' },
    { kind: 'refused', code: 'twilio:21610', message: 'They want none', detail: 'No' },
    { kind: 'uncertain', reason: 'HTTP 500' },
    { kind: 'uncertain', reason: 'ETIMEDOUT', late: true },
  ] as const;
  expect(outcomes.map((one) => afterTry(attempt, one, now, policy, 0))).toMatchObject([
    { news: { status: 'SENT', provider_message_id: 'SM1', failure: null } },
    {
      news: {
        status: 'FAILED',
        failure: { code: 'twilio:21610', message: 'They want none', detail: 'No' },
        unsubscribed: '+447700900123',
      },
    },
    {
      news: {
        status: 'UNCERTAIN',
        failure: { code: 'uncertain', message: 'The provider may have taken it', detail: 'HTTP 500' },
      },
    },
    { news: { status: 'UNCERTAIN', failure: { message: expect.stringContaining('no answer in time') } } },
  ]);
  expect(afterTry(attempt, busy(), now, policy, 0.5)).toEqual({ tryAgainAt: new Date(now.getTime() + 11_250) });
});
