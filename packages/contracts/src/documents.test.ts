import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument, openApiPath } from './openapi.ts';
import { customerImportRow, renewalImportRow } from './resources/import.ts';
import { type RouteSpec, routes } from './routes.ts';
import { webhooks } from './webhooks.ts';

async function problemsOf(document: object, extend: string): Promise<string[]> {
  // This rule looks at addresses whatever their method; what it is for is tested below.
  const config = await createConfig({ extends: [extend], rules: { 'no-ambiguous-paths': 'off' } });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map((p) => `${p.ruleId}: ${p.message} at ${p.location[0]?.pointer}`);
}

interface Parameter {
  name: string;
  schema: { enum?: string[]; default?: unknown };
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { description: string; content: object };
  responses: Record<string, Answer>;
  security?: object[];
}

interface Answer {
  headers: object;
}

test('the OpenAPI document lints clean', async () => {
  expect(await problemsOf(openApiDocument(), 'recommended')).toEqual([]);
});

test('the AsyncAPI document lints clean', async () => {
  expect(await problemsOf(asyncApiDocument(), 'recommended')).toEqual([]);
});

test('every route and webhook of the tables stands in the OpenAPI document', () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { operationId: string }>> };
  const written = Object.values(paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
  expect(written.sort()).toEqual([...Object.keys(routes), ...Object.keys(webhooks)].sort());
});

test('an address line takes a yes or no in two words, and the document says which', () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { parameters: Parameter[] }>> };
  const flags = Object.values(paths)
    .flatMap((methods) => methods.get?.parameters ?? [])
    .filter(({ name }) => name === 'unread' || name === 'replayed');
  expect(flags.map(({ schema }) => schema.enum)).toEqual(Array.from({ length: 3 }, () => ['true', 'false']));
});

const all = Object.values(routes) as RouteSpec[];
const { paths } = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
const operationOf = ({ method, path }: Pick<RouteSpec, 'method' | 'path'>): Operation =>
  paths[openApiPath(path)]?.[method.toLowerCase()] as Operation;

test.each(all.filter(({ query }) => query.safeParse({}).success))(
  'the document says what is taken for parameters left out of $method $path',
  (spec) => {
    const defaults = (operationOf(spec).parameters ?? []).flatMap(({ name, schema }) =>
      schema.default === undefined ? [] : [[name, schema.default]],
    );
    const taken = spec.query.parse({}) as object;
    expect(defaults.map(([name]) => name).sort()).toEqual(Object.keys(taken).sort());
    expect(spec.query.parse(Object.fromEntries(defaults))).toEqual(taken);
  },
);

test.each([
  [routes.importRenewals, renewalImportRow],
  [routes.importCustomers, customerImportRow],
])('the document describes each column of a file for $path', (spec, row) => {
  const { description = '', content } = operationOf(spec).requestBody ?? {};
  const lines = description.split('\n').filter((line) => line.startsWith('| `'));
  const described = lines.map((line) => line.split(' | ').map((cell) => cell.replace(/[|`]/g, '').trim()));
  const isRequired = (column: string) => !row.safeParse({}).error?.issues.every(({ path: [at] }) => at !== column);
  expect(described.map(([column, required]) => [column, required])).toEqual(
    Object.keys(row.shape).map((column) => [column, isRequired(column) ? 'yes' : 'no']),
  );
  for (const [, , written] of described) expect(written).toMatch(/\w/);
  expect(Object.keys(content ?? {})).toEqual(['text/csv']);
});

test('the document tells of compressed bodies wherever a body is read', () => {
  const reading = all.filter(({ body, upload }) => body !== undefined || upload !== undefined);
  expect(all.filter((spec) => '415' in operationOf(spec).responses)).toEqual(reading);
});

test("a webhook asks for its provider's signature, and for nobody's token", () => {
  const { components } = openApiDocument() as { components: { securitySchemes: object } };
  const schemes = Object.entries(paths)
    .filter(([path]) => path.startsWith('/webhooks/'))
    .flatMap(([, methods]) => Object.values(methods).flatMap(({ security }) => security?.map(Object.keys)));
  expect(schemes.flat().sort()).toEqual([
    'messaging_app_signature',
    'messaging_app_verify_token',
    'sms_signature',
    ...Array(3).fill('webhook_password'),
  ]);
  expect(Object.keys(components.securitySchemes)).toEqual(expect.arrayContaining(schemes.flat()));
});

test('the OpenAPI document names the headers of an answer', () => {
  const { paths } = openApiDocument() as { paths: Record<string, { post?: { responses: Record<string, Answer> } }> };
  const { responses } = paths['/ops/customers/{id}/notes']?.post ?? {};
  const headersOf = (status: number) => Object.keys(responses?.[status]?.headers ?? {});
  const always = ['X-Request-Id', 'API-Version', 'RateLimit'];
  expect(headersOf(201)).toEqual([...always, 'Idempotency-Replayed']);
  expect(headersOf(404)).toEqual([...always, 'Idempotency-Replayed']);
  expect(headersOf(503)).toEqual([...always, 'Retry-After']);
});

test('the AsyncAPI document leaves room for fields added later', () => {
  expect(JSON.stringify(asyncApiDocument())).not.toContain('"additionalProperties":false');
});

/** Each has a parameter that takes the word the other has there, so that one address fits both and neither is the closer one. */
function crosses(one: RouteSpec, other: RouteSpec): boolean {
  const [left, right] = [one.path.split('/'), other.path.split('/')];
  if (one.method !== other.method || left.length !== right.length) return false;
  const pairs = left.map((segment, n) => [segment, right[n] ?? ''] as const);
  const isParameter = (segment: string) => segment.startsWith(':');
  if (pairs.some(([a, b]) => a !== b && !isParameter(a) && !isParameter(b))) return false;
  const toward = (spec: RouteSpec, words: [string, string][]) => words.length > 0 && takes(spec, words);
  const wordsFor = (own: string[], others: string[]) =>
    own.flatMap((name, n): [string, string][] =>
      isParameter(name) && !isParameter(others[n] ?? '') ? [[name.slice(1), others[n] ?? '']] : [],
    );
  return toward(one, wordsFor(left, right)) && toward(other, wordsFor(right, left));
}

function takes({ params }: RouteSpec, words: [string, string][]): boolean {
  const refused = params.safeParse(Object.fromEntries(words)).error?.issues.map(({ path }) => path[0]) ?? [];
  return words.every(([name]) => !refused.includes(name));
}

test('no address fits two routes of one method alike', () => {
  const crossing = all.flatMap((one) => all.filter((other) => crosses(one, other)).map(({ path }) => [one.path, path]));
  expect(crossing).toEqual([]);
});

test('the AsyncAPI document says which events others publish', () => {
  const { operations } = asyncApiDocument() as { operations: Record<string, { action: string }> };
  const taken = Object.keys(operations).filter((name) => operations[name]?.action === 'receive');
  expect(taken).toEqual(
    ['policy_issued', 'residence_permit_approved', 'work_permit_issued']
      .concat(['policy_cancelled', 'residence_permit_withdrawn', 'work_permit_ended'])
      .map((event) => `take_${event}`),
  );
  const passedOn = Object.keys(operations).filter((name) => name.startsWith('pass_on_'));
  expect(passedOn.map((name) => operations[name]?.action)).toEqual(taken.map(() => 'send'));
});

test('no two routes share a method and a path', () => {
  const keys = (Object.values(routes) as RouteSpec[]).map((r) => `${r.method} ${r.path.replace(/:\w+/g, ':')}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test('what upstream systems publish need not say when, nor about what', () => {
  const { components } = asyncApiDocument() as {
    components: { messages: Record<string, { payload: { required: string[] } }> };
  };
  const requiredOf = (name: string) => components.messages[name]?.payload.required;
  expect(requiredOf('policy_issued')).toEqual(['specversion', 'id', 'source', 'type', 'data']);
  expect(requiredOf('renewal_changed')).toEqual(expect.arrayContaining(['time', 'subject']));
});
