import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { problem } from '@ops/contracts/problem';
import { type System, sharedSystem } from '@ops/test-system/system';
import fc from 'fast-check';
import { type Sample, samples } from './samples.ts';

const customerId = 'C-fuzz';
let system: System;
let token: string;

/** A request as it goes over the wire, nothing about it checked. */
interface Wire {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

const json = { 'content-type': 'application/json' };
const wire = (s: Sample): Wire => ({
  method: s.spec.method,
  path: s.path,
  headers: s.body === undefined ? {} : json,
  body: s.body === undefined ? undefined : JSON.stringify(s.body),
});

const junk = fc.oneof(
  fc.constantFrom(null, true, -1, 1e308, '', '\u0000', '\ud800', 'x'.repeat(70_000), [], {}, [[[[]]]]),
  fc.jsonValue({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
const nested = fc.integer({ min: 10, max: 20_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const fieldNames = [
  'type',
  'direction',
  'body',
  'subject',
  'name',
  'phones',
  'emails',
  'locale',
  'time_zone',
  'up_to',
  'service_type',
  'due_date',
  'next_due_date',
  'create_next',
  'reminders',
  'renewal_months',
  'renewal_ids',
  'policy_id',
  'assigned_agent',
  'priority',
  'status',
  'absent_until',
  'steps',
  'fall_through',
  'quiet_hours',
  'working_days',
  'hours',
  'country',
  'region',
  'holidays',
  'answer_within_hours',
  'id',
  'source',
  'specversion',
  'time',
  'data',
  'days',
];
const field = fc.constantFrom(...fieldNames, 'customer_id', '__proto__', 'constructor', 'extra');

const all = samples(customerId).filter((s) => s.spec.mediaType === undefined);
const anySample = fc.constantFrom(...all);
const withBody = fc.constantFrom(...all.filter((s) => s.spec.body));
const listing = fc.constantFrom(...all.filter((s) => s.spec.query.safeParse({ cursor: 'some' }).success));
const named = fc.constantFrom(...all.filter((s) => s.spec.path.includes(':')));

const inBody = (change: (body: string) => fc.Arbitrary<string>) =>
  withBody.chain((s) => change(JSON.stringify(s.body ?? {})).map((body) => ({ ...wire(s), headers: json, body })));

/** Ways to send something the contract does not allow (or only just does). */
const malformed: fc.Arbitrary<Wire> = fc.oneof(
  // wrong types, huge strings, NUL, unknown fields
  fc.tuple(withBody, field, junk).map(([s, name, value]) => ({
    ...wire(s),
    headers: json,
    body: JSON.stringify({ ...(s.body as object), [name]: value }),
  })),
  // not an object at all, deep nesting, truncated JSON
  inBody(() => junk.map((value) => JSON.stringify(value) ?? '')),
  inBody(() => nested),
  inBody((body) => nested.map((deep) => body.replace(/}$/, `,"extra":${deep}}`))),
  inBody((body) => fc.integer({ min: 0, max: Math.max(body.length - 1, 0) }).map((end) => body.slice(0, end))),
  // over the limit
  fc.tuple(withBody, fc.integer({ min: 1_048_577, max: 1_200_000 })).map(([s, size]) => ({
    ...wire(s),
    headers: json,
    body: JSON.stringify({ body: 'x'.repeat(size) }),
  })),
  // wrong content type or coding
  fc
    .tuple(
      withBody,
      fc.constantFrom(
        'text/plain',
        'application/xml',
        'application/json; charset=klingon',
        'multipart/form-data',
        '*/*',
        '',
      ),
    )
    .map(([s, type]) => ({ ...wire(s), headers: { 'content-type': type } })),
  fc.tuple(withBody, fc.constantFrom('gzip', 'br', 'deflate', 'zip')).map(([s, coding]) => ({
    ...wire(s),
    headers: { ...json, 'content-encoding': coding },
  })),
  // bad cursors, limits, filters, dates
  fc
    .tuple(
      listing,
      fc.constantFrom(
        'cursor',
        'limit',
        'filter',
        'type',
        'direction',
        'unread',
        'q',
        'query',
        'since',
        'replayed',
        'window',
        'service_type',
        'status',
        'assigned_agent',
        'state',
        'priority',
        'renewal_id',
        'dry_run',
        'as_of',
      ),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('0', '-1', '201', '1e9', 'NaN', '2026-02-30', 'bm9wZQ', '%00', '%ff'),
      ),
      fc.boolean(),
    )
    .map(([s, name, value, twice]) => ({
      ...wire(s),
      path: `${s.path}?${name}=${escaped(value)}${twice ? `&${name}=${escaped(value)}` : ''}`,
    })),
  // bad path parameters
  fc
    .tuple(
      named,
      fc.oneof(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.constantFrom('%zz', '%', '%00', '..%2f..', '%2e%2e', 'a'.repeat(65), 'a b'),
      ),
    )
    .map(([s, value]) => ({ ...wire(s), path: s.spec.path.replace(/:\w+/g, () => escaped(value)) })),
  // bad headers
  fc
    .tuple(
      anySample,
      fc.constantFrom('idempotency-key', 'if-match', 'x-request-id', 'traceparent'),
      fc.string({ unit: 'grapheme-ascii', maxLength: 400 }),
    )
    .map(([s, name, value]) => ({ ...wire(s), headers: { ...wire(s).headers, [name]: value } })),
);

/** Percent signs stay as drawn, so that broken escapes arrive broken. */
const escaped = (value: string) => encodeURIComponent(value.toWellFormed()).replaceAll('%25', '%');

const send = ({ method, path, headers, body }: Wire) =>
  new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    const { hostname, port } = new URL(system.gatewayUrl);
    const outgoing = request(
      { hostname, port, method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            type: answer.headers['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** That many, each time the same. */
export function malformedRequestsAreRefused(requests: number): void {
  beforeAll(async () => {
    system = await sharedSystem('postgres');
    token = await system.token('admin');
    await (await system.client('staff')).put(`/ops/customers/${customerId}`, { name: 'Demo Customer' });
  });
  afterAll(() => system?.stop());

  test(`${requests} malformed requests: no 5xx, each error a problem that names the field`, async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(malformed, async (drawn) => {
        const answer = await send(drawn);
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        expect(answer.status).toBeLessThan(500);
        if (answer.status < 400) return;
        expect(answer.type).toMatch(/^application\/problem\+json/);
        const told = problem.parse(JSON.parse(answer.body));
        if (answer.status === 422) expect(told.errors?.length).toBeGreaterThan(0);
      }),
      { numRuns: requests, seed: 20_261 },
    );
    expect([...seen.keys()]).toEqual(expect.arrayContaining([400, 404, 413, 415, 422]));
  });
}
