import { expect, test } from '@jest/globals';
import type { Logger } from '@ops/service-kit/logger';
import type { Provider, RawRequest, Verdict } from '../providers/provider.ts';
import { createRefusals } from './refusal-service.ts';

const request: RawRequest = { method: 'POST', path: '/', headers: {}, body: Buffer.alloc(0), receivedAt: new Date(0) };
const provider = (verify: () => Verdict): Provider => ({
  name: 'mime',
  webhookPath: '/webhooks/sms',
  proof: 'body',
  turnsAway: () => undefined,
  verify,
  read: async () => ({ items: [], parts: [] }),
});

function refusalsWithLog() {
  const lines: unknown[] = [];
  const logger = { warn: (line: unknown) => void lines.push(line) } as unknown as Logger;
  return { refusals: createRefusals(logger), lines };
}

test('a reason is told once, whoever keeps knocking', async () => {
  const { refusals, lines } = refusalsWithLog();
  const refusing = (reason: string) => provider(() => ({ ok: false, reason }));
  for (const reason of ['not set', 'not set', 'not ours', 'not set'])
    await expect(refusals.verify(refusing(reason), request)).rejects.toEqual(expect.objectContaining({ status: 401 }));
  expect(lines).toEqual([
    { provider: 'mime', reason: 'not set' },
    { provider: 'mime', reason: 'not ours' },
  ]);
});

test('a check that fails is no proof', async () => {
  const { refusals } = refusalsWithLog();
  const failing = provider(() => {
    throw new RangeError('Input buffers must have the same byte length');
  });
  await expect(refusals.verify(failing, request)).rejects.toEqual(expect.objectContaining({ status: 401 }));
});

test('what is good gives its replay key, if it has one', async () => {
  const { refusals } = refusalsWithLog();
  const keyOf = (verdict: Verdict) =>
    refusals.verify(
      provider(() => verdict),
      request,
    );
  expect(await keyOf({ ok: true, replayKey: 'k' })).toEqual({ replayKey: 'k' });
  expect(await keyOf({ ok: true })).toEqual({ replayKey: null });
  expect(await keyOf({ ok: false, reason: 'too old', lateKey: 'k' })).toEqual({ replayKey: 'k', late: 'too old' });
});
