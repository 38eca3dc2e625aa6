import { expect, test } from '@jest/globals';
import { examine } from './examine.ts';
import { type Check, ok } from './finding.ts';

const check = (name: string, run: Check['run']): Check => ({ name, fix: `mend ${name}`, run });
const after = <T>(ms: number, value: T) => new Promise<T>((resolve) => setTimeout(resolve, ms, value));

test('checks are told in their order, whichever is done first, and one that fails takes no other with it', async () => {
  const refused = Object.assign(new Error(''), { code: 'ECONNREFUSED' });
  const lines = await examine(
    [
      check('slow', () => after(30, [ok('slow', 'well'), ok('slow too', 'well')])),
      check('never', () => new Promise(() => undefined)),
      check('thrown', async () => {
        throw new TypeError('fetch failed', { cause: new AggregateError([refused]) });
      }),
      check('quick', async () => [ok('quick', 'well')]),
    ],
    100,
  );
  expect(lines).toEqual([
    { name: 'slow', status: 'ok', said: 'well' },
    { name: 'slow too', status: 'ok', said: 'well' },
    { name: 'never', status: 'failed', said: 'no answer within 100 ms', fix: 'mend never' },
    { name: 'thrown', status: 'failed', said: 'ECONNREFUSED', fix: 'mend thrown' },
    { name: 'quick', status: 'ok', said: 'well' },
  ]);
});

test.each([
  'self-signed certificate in certificate chain',
  "Hostname/IP does not match certificate's altnames",
  'certificate has expired',
])('%s is a matter of certificates, whoever was asked', async (message) => {
  const [line] = await examine([check('provider', () => Promise.reject(new Error(message)))], 100);
  expect(line).toMatchObject({ said: message, fix: expect.stringContaining('TLS_CA_FILE') });
});
