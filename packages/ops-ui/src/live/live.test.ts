import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { followChanges } from './live.ts';

/** The stream as a browser has it. */
class Stream extends EventTarget {
  static current: Stream;
  constructor() {
    super();
    Stream.current = this;
  }
  close() {}
  tell(type: string, data: object) {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify({ type, data }) }));
  }
}

/** What Node has none of. */
const browser = { EventSource: Stream, addEventListener: () => undefined, removeEventListener: () => undefined };

beforeEach(() => {
  jest.useFakeTimers();
  Object.assign(globalThis, browser);
  Object.defineProperty(navigator, 'onLine', { value: true, configurable: true });
});
afterEach(() => {
  jest.useRealTimers();
  for (const name of Object.keys(browser)) Reflect.deleteProperty(globalThis, name);
  Reflect.deleteProperty(navigator, 'onLine');
});

/** A renewal that is shown, and what a service says of it at the moment. */
function shownRenewal() {
  const queries = new QueryClient();
  const service = { says: 'at risk', asked: 0 };
  const queryFn = async () => {
    service.asked += 1;
    return service.says;
  };
  const queryKey = ['renewal', 'R-1'];
  const unfollow = followChanges(queries);
  const open = () =>
    new QueryObserver(queries, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(() => undefined);
  const stop = () => {
    unfollow();
    queries.clear();
  };
  return { service, open, stop, data: () => queries.getQueryData(queryKey) };
}

const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

test('what another service takes in after it was asked is shown all the same, once more in a while, and no more after that', async () => {
  const { service, open, stop, data } = shownRenewal();
  const close = open();
  await pass(1);
  Stream.current.tell('task.changed', { renewal_id: 'R-1' });
  await pass(1_500);
  expect([service.asked, data()]).toEqual([2, 'at risk']);
  service.says = 'somebody is at it';
  await pass(3_000);
  expect(data()).toBe('somebody is at it');
  await pass(300_000);
  expect(service.asked).toBe(4);
  close();
  stop();
});

test('so it is for who comes to it between the change and its being taken in', async () => {
  const { service, open, stop, data } = shownRenewal();
  Stream.current.tell('communication.changed', { customer_id: 'C-1', renewal_id: 'R-1', renewal_ids: ['R-1'] });
  await pass(500);
  const close = open();
  await pass(1);
  service.says = 'the customer answered';
  await pass(4_000);
  expect(data()).toBe('the customer answered');
  close();
  stop();
});

test('after a gap in the stream everything is asked for once more in a while, after the first connection it is not', async () => {
  const { service, open, stop, data } = shownRenewal();
  const close = open();
  Stream.current.tell('reset', {});
  await pass(60_000);
  const atFirst = service.asked;
  Stream.current.tell('reset', {});
  await pass(1);
  service.says = 'somebody is at it';
  await pass(60_000);
  expect([data(), atFirst, service.asked - atFirst]).toEqual(['somebody is at it', 2, 3]);
  close();
  stop();
});
