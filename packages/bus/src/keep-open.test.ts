import { expect, jest, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { silent } from './conformance/world.ts';
import { BrokerAwayError } from './errors.ts';
import { keepOpen } from './keep-open.ts';

/** Opens numbered things; the test says how each ends. */
function factory(failing: number[] = []) {
  const lost: (() => void)[] = [];
  const disposed: number[] = [];
  let count = 0;
  const open = jest.fn(async (_again: boolean) => {
    count += 1;
    if (failing.includes(count)) throw new Error(`opening ${count} failed`);
    return { value: count, lost: new Promise<void>((resolve) => lost.push(resolve)) };
  });
  const kept = keepOpen<number>({ name: 'thing', logger: silent, open, dispose: async (n) => disposed.push(n) });
  return { kept, open, disposed, loseLast: () => lost.at(-1)?.() };
}

test('opens anew what was lost or could not be opened, and lets go of the old', async () => {
  const { kept, open, disposed, loseLast } = factory([1, 3]);
  await kept.tried;
  expect(() => kept.current()).toThrow(BrokerAwayError);
  expect(kept.problem()).toBe('thing: opening 1 failed');
  await kept.opened;
  expect(kept.current()).toBe(2);
  loseLast();
  await eventually(() => expect(kept.current()).toBe(4));
  expect(disposed).toEqual([2]);
  expect(open.mock.calls.map(([again]) => again)).toEqual([false, false, true, true]);
  await kept.close();
  expect(disposed).toEqual([2, 4]);
  expect(() => kept.current()).toThrow();
});

test('renews on request', async () => {
  const { kept, disposed } = factory();
  await kept.opened;
  kept.renew();
  await eventually(() => expect(kept.current()).toBe(2));
  expect(disposed).toEqual([1]);
  await kept.close();
});

test('a close does not wait for an opening that never ends, and lets go of one that ends late', async () => {
  const late = Promise.withResolvers<{ value: string; lost: Promise<void> }>();
  const disposed: string[] = [];
  const kept = keepOpen<string>({
    name: 'thing',
    logger: silent,
    open: () => late.promise,
    dispose: async (value) => disposed.push(value),
  });
  await kept.close();
  await expect(kept.opened).rejects.toBeInstanceOf(BrokerAwayError);
  late.resolve({ value: 'too late', lost: new Promise(() => undefined) });
  await eventually(() => expect(disposed).toEqual(['too late']));
});

test('gives up an opening that is never answered, tries again, and lets go of what comes late', async () => {
  const unanswered = Promise.withResolvers<{ value: number; lost: Promise<void> }>();
  const disposed: number[] = [];
  let tries = 0;
  const kept = keepOpen<number>({
    name: 'thing',
    logger: silent,
    openWithinMs: 20,
    open: async () => {
      tries += 1;
      return tries === 1 ? unanswered.promise : { value: tries, lost: new Promise(() => undefined) };
    },
    dispose: async (value) => disposed.push(value),
  });
  await kept.tried;
  expect(kept.problem()).toBe('thing: no answer within 0.02 s');
  await kept.opened;
  unanswered.resolve({ value: 1, lost: new Promise(() => undefined) });
  await eventually(() => expect(disposed).toEqual([1]));
  expect(kept.current()).toBe(2);
  await kept.close();
});
