import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startTestProvider, type TestProvider } from '../../test/provider.ts';
import { FetchError } from './attachment.rules.ts';
import type { FileSource } from './file-source.ts';
import { lookupOnlyPublic, type MediaAnswer, type MediaRequest, requestMedia } from './media-client.ts';
import { type ProviderSettings, providerSources } from './provider-source.ts';

const settings: ProviderSettings = {
  MESSAGING_APP_BASE_URL: 'https://graph.example.com/v23.0/',
  MESSAGING_APP_ACCESS_TOKEN: 'token',
  SMS_BASE_URL: 'https://api.example.com',
  SMS_ACCOUNT_SID: 'AC1',
  SMS_AUTH_TOKEN: ['new', 'old'],
  MEDIA_HOSTS: ['lookaside.fbsbx.com', 'mms.example.com'],
  ATTACHMENT_MAX_BYTES: 100,
};
const basic = `Basic ${Buffer.from('AC1:new').toString('base64')}`;
const neverAborted = new AbortController().signal;

const file: MediaAnswer = { status: 200, location: undefined, content: Buffer.from('file') };
const to = (location: string): MediaAnswer => ({ status: 307, location, content: Buffer.alloc(0) });
const json = (value: object): MediaAnswer => ({ ...file, content: Buffer.from(JSON.stringify(value)) });

/** A world in which each address gives what the test says. */
function world(answers: Record<string, MediaAnswer>) {
  const asked: Pick<MediaRequest, 'headers' | 'publicOnly'>[] = [];
  const sources = providerSources(settings, async ({ url, headers, publicOnly }) => {
    asked.push({ headers, publicOnly });
    const answer = answers[url.href];
    if (!answer) throw new Error(`nobody expected ${url.href}`);
    return answer;
  });
  return { asked, app: sources['cloud-api'] as FileSource, sms: sources.twilio as FileSource };
}

const failureOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof FetchError)) throw new Error('it did not fail as it should', { cause: error });
  return { code: error.failure.code, final: error.final };
};

test('a file of the messaging app is found by its id, and both steps show who we are', async () => {
  const { app, asked } = world({
    'https://graph.example.com/v23.0/42': json({ url: 'https://lookaside.fbsbx.com/f?x=1', file_size: '4' }),
    'https://lookaside.fbsbx.com/f?x=1': file,
  });
  expect((await app.fetch('42', neverAborted)).toString()).toBe('file');
  expect(asked).toEqual([
    { headers: { Authorization: 'Bearer token' }, publicOnly: false },
    { headers: { Authorization: 'Bearer token' }, publicOnly: true },
  ]);
});

test('an id that looks like a path stays one', async () => {
  const { app } = world({
    'https://graph.example.com/v23.0/..%2Fme': json({ url: 'https://mms.example.com/f' }),
    'https://mms.example.com/f': file,
  });
  expect((await app.fetch('../me', neverAborted)).toString()).toBe('file');
});

test('a file of an SMS is fetched with our credentials, and where it sends us on without them', async () => {
  const { sms, asked } = world({
    'https://api.example.com/Media/ME1': to('https://mms.example.com/f'),
    'https://mms.example.com/f': to('/g'),
    'https://mms.example.com/g': file,
  });
  expect((await sms.fetch('https://api.example.com/Media/ME1', neverAborted)).toString()).toBe('file');
  expect(asked.map(({ headers, publicOnly }) => [headers.Authorization, publicOnly])).toEqual([
    [basic, false],
    [undefined, true],
    [undefined, true],
  ]);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://evil.example/f',
  'http://mms.example.com/f',
  'https://mms.example.com:8443/f',
  'file:///etc/passwd',
  '//evil.example/f',
])('neither a message nor a redirect leads us to %s', async (address) => {
  const { sms, app } = world({
    'https://api.example.com/1': to(address),
    'https://graph.example.com/v23.0/1': json({ url: address }),
  });
  const refused = { code: 'address_refused', final: true };
  expect(await failureOf(sms.fetch(address, neverAborted))).toEqual(refused);
  expect(await failureOf(sms.fetch('https://api.example.com/1', neverAborted))).toEqual(refused);
  expect(await failureOf(app.fetch('1', neverAborted))).toEqual(refused);
});

test('three redirects are followed, and no more', async () => {
  const chain = (length: number) => ({
    ...Object.fromEntries(
      Array.from({ length }, (_, n) => [`https://api.example.com/${n}`, to(`https://api.example.com/${n + 1}`)]),
    ),
    [`https://api.example.com/${length}`]: file,
  });
  expect(await world(chain(3)).sms.fetch('https://api.example.com/0', neverAborted)).toEqual(file.content);
  expect(await failureOf(world(chain(4)).sms.fetch('https://api.example.com/0', neverAborted))).toEqual({
    code: 'too_many_redirects',
    final: true,
  });
});

test.each([
  [200, null],
  [400, { code: 'gone', final: true }],
  [404, { code: 'gone', final: true }],
  [410, { code: 'gone', final: true }],
  [401, { code: 'http_401', final: false }],
  [403, { code: 'http_403', final: false }],
  [429, { code: 'http_429', final: false }],
  [500, { code: 'http_500', final: false }],
  [503, { code: 'http_503', final: false }],
])('an answer of %i: %j', async (status, failure) => {
  const { sms } = world({ 'https://api.example.com/1': { ...file, status } });
  const fetched = sms.fetch('https://api.example.com/1', neverAborted);
  if (failure) expect(await failureOf(fetched)).toEqual(failure);
  else expect(await fetched).toEqual(file.content);
});

test('a file announced as too large is not fetched; nonsense about a file is asked again later', async () => {
  const large = world({
    'https://graph.example.com/v23.0/1': json({ url: 'https://mms.example.com/f', file_size: 101 }),
  });
  expect(await failureOf(large.app.fetch('1', neverAborted))).toEqual({ code: 'too_large', final: true });
  const odd = world({ 'https://graph.example.com/v23.0/1': file });
  expect(await failureOf(odd.app.fetch('1', neverAborted))).toEqual({ code: 'not_understood', final: false });
});

test('a provider that is not configured has no files', () => {
  const bare = { MEDIA_HOSTS: [], ATTACHMENT_MAX_BYTES: 1 };
  expect(providerSources(bare, requestMedia)).toEqual({});
});

let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.asked.length = 0;
});

const ask = (change: Partial<MediaRequest> = {}) =>
  requestMedia({
    url: new URL(provider.url),
    headers: {},
    publicOnly: false,
    mostBytes: 1000,
    signal: neverAborted,
    ...change,
  });

test('over the wire: the bytes as they are, and a redirect as an answer', async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 128]);
  provider.answer((_req, res) => res.writeHead(200).end(bytes));
  expect(await ask()).toEqual({ status: 200, location: undefined, content: bytes });
  provider.answer((_req, res) => res.writeHead(302, { Location: '/next' }).end('words'));
  expect(await ask()).toEqual({ status: 302, location: '/next', content: Buffer.alloc(0) });
  expect(provider.asked).toHaveLength(2);
});

test('a body over the limit is cut off, whether or not its length was announced', async () => {
  provider.answer((_req, res) => res.writeHead(200, { 'Content-Length': '1001' }).end(Buffer.alloc(1001)));
  expect(await failureOf(ask())).toEqual({ code: 'too_large', final: true });
  let written = 0;
  let cutOff = () => {};
  const cut = new Promise<void>((resolve) => {
    cutOff = resolve;
  });
  provider.answer((_req, res) => {
    res.on('close', cutOff);
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(16 * 1024))) written += 16 * 1024;
      if (!res.destroyed) res.once('drain', more);
    };
    more();
  });
  expect(await failureOf(ask())).toEqual({ code: 'too_large', final: true });
  await cut;
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test('a body that breaks off, or a caller that gives up, is an error and no half file', async () => {
  provider.answer((_req, res) => {
    res.writeHead(200, { 'Content-Length': '100' }).write('half');
    setImmediate(() => res.destroy());
  });
  await expect(ask()).rejects.toThrow();
  provider.answer((_req, res) => res.writeHead(200).write('half'));
  const giveUp = new AbortController();
  const asked = ask({ signal: giveUp.signal });
  giveUp.abort();
  await expect(asked).rejects.toThrow();
});

test('a name that leads into our own network is not connected to', async () => {
  provider.answer((_req, res) => res.end('secret'));
  const url = new URL(provider.url.replace('127.0.0.1', 'localhost'));
  await expect(ask({ url, publicOnly: true })).rejects.toMatchObject({ code: 'EPRIVATE' });
  expect(provider.asked).toEqual([]);
});

test.each([
  [['8.8.8.8'], null],
  [['8.8.8.8', '127.0.0.1'], 'EPRIVATE'],
  [['::1'], 'EPRIVATE'],
  [[], 'EPRIVATE'],
])('of a name with the addresses %j: %j', (addresses, code) => {
  const resolved = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const only = lookupOnlyPublic((_name, _options, callback) => callback(null, resolved));
  for (const all of [true, false]) {
    only('media.example.com', { all }, (error, found) => {
      expect(error?.code ?? null).toBe(code);
      if (!error) expect(found).toEqual(all ? resolved : '8.8.8.8');
    });
  }
});
