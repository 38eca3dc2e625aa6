import { execFile } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { currentTrace } from '@ops/bus/trace';
import fc from 'fast-check';
import { logLines } from '../../test/app.ts';

const logged = (fields: object, message = 'said') => {
  const { lines, logger } = logLines();
  logger.info(fields, message);
  return JSON.parse(lines[0] ?? '{}');
};

test('a line is JSON with its level as a word, the service and the time', () => {
  expect(logged({ port: 1 })).toMatchObject({
    level: 'info',
    service: 'test',
    port: 1,
    msg: 'said',
    time: expect.stringMatching(/Z$/),
  });
});

test('within a request or an event a line carries its id and its trace', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const line = currentTrace.run({ requestId: 'r-1', traceparent }, () => logged({}));
  expect(line).toMatchObject({ request_id: 'r-1', trace_id: '0af7651916cd43dd8448eb211c80319c' });
  expect(logged({})).not.toHaveProperty('request_id');
});

const confidential = fc.constantFrom(
  'authorization',
  'Authorization',
  'cookie',
  'Set-Cookie',
  'x-ops-identity',
  'access_token',
  'refreshToken',
  'id_token',
  'token',
  'client_secret',
  'clientSecret',
  'SESSION_SECRET',
  'password',
  'passwd',
  'dbPassword',
  'api_key',
  'private_key',
  'body',
  'text',
  'html',
  'subject',
  'payload',
  'data',
  'csrf_token',
  'X-CSRF-Token',
  'session',
);
const harmless = fc.constantFrom('headers', 'request', 'options', 'list', 'inner');

test('a value under a confidential name reaches no line, at whatever depth and in whatever shape', () => {
  const value = fc.constantFrom<unknown>('hunter2', ['hunter2'], { of: 'hunter2' }, new Error('hunter2'));
  fc.assert(
    fc.property(fc.array(harmless, { maxLength: 9 }), confidential, value, (path, name, secret) => {
      const fields = path.reduceRight<object>((inner, key) => (key === 'list' ? { list: [inner] } : { [key]: inner }), {
        [name]: secret,
      });
      expect(JSON.stringify(logged(fields))).not.toContain('hunter2');
    }),
    { seed: 5 },
  );
});

test('an error tells its kind, message, stack, code and cause, and not what drivers and parsers hang on it', () => {
  const cause = Object.assign(new Error('insert into t values ($1) - duplicate'), {
    code: '23505',
    constraint: 't_pkey',
    detail: 'Key (body)=(hunter2) already exists.',
    where: 'hunter2',
    body: 'hunter2',
  });
  const line = logged({ err: new TypeError('failed', { cause }) });
  expect(line.err).toMatchObject({
    type: 'TypeError',
    message: 'failed',
    cause: { code: '23505', constraint: 't_pkey' },
  });
  expect(line.err.stack).toContain('logger.test');
  expect(JSON.stringify(line)).not.toContain('hunter2');
});

test('an error logged by itself is treated the same, and a ring of causes ends', () => {
  const { lines, logger } = logLines();
  const error = Object.assign(new Error('alone'), { body: 'hunter2' });
  error.cause = error;
  logger.error(error);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ err: { message: 'alone' } });
  expect(lines[0]).not.toContain('hunter2');
});

test('what refers to itself, a large list and bytes do not break a line', () => {
  const ring: Record<string, unknown> = { name: 'ring' };
  ring.self = ring;
  expect(logged({ ring, list: Array(1000).fill(1), bytes: Buffer.from('hunter2'), at: new Date(0) })).toMatchObject({
    list: { length: 100 },
    bytes: '[binary]',
    at: '1970-01-01T00:00:00.000Z',
  });
});

const logger = JSON.stringify(new URL('./logger.ts', import.meta.url));

test.each(['process.exit(3)', 'throw new Error("over")', ''])(
  'lines written together come in their order, the last as well, where %j ends it',
  async (end) => {
    const script = `import { createLogger } from ${logger};
    const log = createLogger('child', 'info');
    for (let n = 0; n < 1_000; n++) n % 100 ? log.info({ n }) : log.warn({ n });
    ${end}`;
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, ['--input-type=module', '--eval', script], (_, stdout) => resolve(stdout)),
    );
    const told = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).n);
    expect(told).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
  },
);
