import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createOutbox } from '@ops/bus/outbox';
import type { Communication } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import { staff, startTestService, type TestService } from '../../test/service.ts';
import { FetchError, mostTries } from './attachment.rules.ts';
import { type FetchDeps, fetchDue, removeUnusedUploads } from './fetch-service.ts';
import type { FileSource } from './file-source.ts';

let service: TestService;
let message: string;

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo' });
  const record = { type: 'EMAIL', direction: 'INBOUND', body: 'See attached' };
  message = (await service.post<Communication>(staff, '/ops/customers/C-1/communications', record)).body.id;
});
afterAll(() => service.close());
beforeEach(async () => {
  now = new Date('2100-01-01T12:00:00Z');
  await service.db('attachments').delete();
  await service.forgetEvents();
});

/** Far ahead, where the service's own job does not look yet. */
let now: Date;
const later = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const day = 24 * 60 * 60_000;

const deps = (sources: Record<string, FileSource['fetch']>): FetchDeps => ({
  db: service.db,
  outbox: createOutbox('comms-service'),
  now: () => now,
  agents: { known: async () => [] },
  phoneRegion: undefined,
  automatedSendsAnHour: 20,
  sources: Object.fromEntries(Object.entries(sources).map(([name, fetch]) => [name, { fetch }])),
});

const goOn = new AbortController().signal;
const run = (sources: Record<string, FileSource['fetch']>, stopping = goOn) => fetchDue(deps(sources), stopping);

async function pending(change: object = {}): Promise<string> {
  const id = uuidv7();
  const file = { id, communication_id: message, role: 'file', name: 'a.pdf', media_type: 'application/pdf' };
  const where = { source: 'ingest', provider: null, ref: id, state: 'PENDING' };
  await service.db('attachments').insert({ ...file, ...where, next_try_at: now, created_at: now, ...change });
  return id;
}
const rowOf = (id: string) => service.db('attachments').where({ id }).first();
const changes = async () => (await service.events()).map(({ data }) => [data.change, data.communication_id]);

const passing = () => Promise.reject(new FetchError('unreachable', 'The provider could not be reached', false));
const gone = () => Promise.reject(new FetchError('gone', 'The provider does not have the file', true));

test('what is due is fetched where it lies, kept, and told of', async () => {
  const [ours, theirs] = [await pending(), await pending({ source: 'provider', provider: 'twilio', ref: 'media-1' })];
  const early = await pending({ next_try_at: new Date(now.getTime() + 1) });
  const outcome = await run({
    ingest: async (ref) => Buffer.from(`part ${ref}`),
    twilio: async (ref) => Buffer.from([0, 255, ref.length]),
  });
  expect(outcome).toEqual({ stored: 2, postponed: 0, failed: 0 });
  expect(await rowOf(ours)).toMatchObject({ state: 'STORED', size: 41, content: Buffer.from(`part ${ours}`) });
  expect(await rowOf(theirs)).toMatchObject({ state: 'STORED', size: 3, content: Buffer.from([0, 255, 7]) });
  expect(await rowOf(early)).toMatchObject({ state: 'PENDING', tries: 0 });
  expect(await changes()).toEqual(Array(2).fill(['attachment', message]));
});

test('a file that fails is seen to fail, is tried again, and costs the others nothing', async () => {
  const bad = await pending({ source: 'provider', provider: 'twilio' });
  const good = await pending();
  const ingest = async () => Buffer.from('file');
  expect(await run({ ingest, twilio: passing })).toEqual({ stored: 1, postponed: 1, failed: 0 });
  expect(await rowOf(good)).toMatchObject({ state: 'STORED' });
  expect(await rowOf(bad)).toMatchObject({ state: 'PENDING', tries: 1, failure: { code: 'unreachable' } });
  expect(await run({ twilio: passing })).toEqual({ stored: 0, postponed: 0, failed: 0 });
  later(10_000);
  expect(await run({ twilio: ingest })).toEqual({ stored: 1, postponed: 0, failed: 0 });
  expect(await rowOf(bad)).toMatchObject({ state: 'STORED', failure: null, next_try_at: null });
});

test('it is given up after its tries, or at once when trying again would change nothing', async () => {
  const tried = await pending();
  for (let n = 1; n <= mostTries; n++) {
    expect(await run({ ingest: passing })).toMatchObject(n < mostTries ? { postponed: 1 } : { failed: 1 });
    later(day);
  }
  expect(await rowOf(tried)).toMatchObject({ state: 'FAILED', tries: mostTries, next_try_at: null });
  const lost = await pending();
  expect(await run({ ingest: gone })).toEqual({ stored: 0, postponed: 0, failed: 1 });
  expect(await rowOf(lost)).toMatchObject({ state: 'FAILED', failure: { code: 'gone' } });
  const homeless = await pending({ source: 'provider', provider: 'cloud-api' });
  await run({});
  expect(await rowOf(homeless)).toMatchObject({ state: 'FAILED', failure: { code: 'not_configured' } });
});

test('a file that ends every process that fetches it is given up', async () => {
  const id = await pending({ tries: mostTries });
  const ingest = () => Promise.reject(new Error('must not be asked'));
  expect(await run({ ingest })).toEqual({ stored: 0, postponed: 0, failed: 1 });
  expect(await rowOf(id)).toMatchObject({ state: 'FAILED', failure: { code: 'given_up' } });
});

test('of many that look at once, one fetches', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => pending()));
  const asked: string[] = [];
  const ingest = async (ref: string) => {
    asked.push(ref);
    return Buffer.from('file');
  };
  await Promise.all([run({ ingest }), run({ ingest }), run({ ingest })]);
  expect(asked.sort()).toEqual(ids.sort());
});

test('a claim whose process seems dead is taken up when its lease is over, and changes nothing from then on', async () => {
  const id = await pending();
  const first = Promise.withResolvers<Buffer>();
  const begun = Promise.withResolvers<void>();
  const slow = run({
    ingest: () => {
      begun.resolve();
      return first.promise;
    },
  });
  await begun.promise;
  expect(await run({ ingest: passing })).toEqual({ stored: 0, postponed: 0, failed: 0 });
  later(300_000);
  const second = async () => {
    first.reject(new FetchError('gone', 'The provider does not have the file', true));
    await slow;
    return Buffer.from('second');
  };
  expect(await run({ ingest: second })).toMatchObject({ stored: 1 });
  expect(await rowOf(id)).toMatchObject({ state: 'STORED', content: Buffer.from('second'), failure: null });
  expect(await changes()).toHaveLength(1);
});

test('what is redacted while it is fetched stays redacted', async () => {
  const id = await pending();
  await run({
    ingest: async () => {
      await service.db('attachments').where({ id }).update({ state: 'REDACTED' });
      return Buffer.from('file');
    },
  });
  expect(await rowOf(id)).toMatchObject({ state: 'REDACTED', content: null });
  expect(await changes()).toEqual([]);
});

test('a process asked to stop waits for no provider, and the file comes again', async () => {
  const id = await pending();
  await pending();
  await pending();
  await pending();
  const stopping = new AbortController();
  const outcome = await run(
    {
      ingest: () => {
        stopping.abort();
        return new Promise(() => {});
      },
    },
    stopping.signal,
  );
  expect(outcome).toMatchObject({ stored: 0, failed: 0 });
  expect(await rowOf(id)).toMatchObject({ state: 'PENDING', failure: { code: 'interrupted' } });
  later(day);
  expect(await run({ ingest: async () => Buffer.from('file') })).toEqual({ stored: 4, postponed: 0, failed: 0 });
});

test('uploads that nobody sent within a week are removed; what was sent, or came in, is not', async () => {
  const upload = { source: 'uploaded', state: 'STORED', next_try_at: null, content: Buffer.from('file') };
  const unused = await pending({ ...upload, communication_id: null, customer_id: 'C-1' });
  const sent = await pending({ ...upload, customer_id: 'C-1' });
  const came = await pending();
  later(7 * day);
  expect(await removeUnusedUploads(deps({}))).toBe(0);
  later(1);
  expect(await removeUnusedUploads(deps({}))).toBe(1);
  expect([await rowOf(unused), (await rowOf(sent)).id, (await rowOf(came)).id]).toEqual([undefined, sent, came]);
});
