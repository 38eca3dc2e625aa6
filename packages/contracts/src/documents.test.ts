import { expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { asyncApiDocument } from './asyncapi.ts';
import { openApiDocument } from './openapi.ts';
import { type RouteSpec, routes } from './routes.ts';

async function problemsOf(document: object, extend: string): Promise<string[]> {
  const config = await createConfig({ extends: [extend] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map((p) => `${p.ruleId}: ${p.message} at ${p.location[0]?.pointer}`);
}

interface Parameter {
  name: string;
  schema: { enum?: string[] };
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

test('every route of the table stands in the OpenAPI document', () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { operationId: string }>> };
  const written = Object.values(paths).flatMap((methods) => Object.values(methods).map((o) => o.operationId));
  expect(written.sort()).toEqual(Object.keys(routes).sort());
});

test('an address line takes a yes or no in two words, and the document says which', () => {
  const { paths } = openApiDocument() as { paths: Record<string, Record<string, { parameters: Parameter[] }>> };
  const flags = Object.values(paths)
    .flatMap((methods) => methods.get?.parameters ?? [])
    .filter(({ name }) => name === 'unread' || name === 'replayed');
  expect(flags.map(({ schema }) => schema.enum)).toEqual(Array.from({ length: 3 }, () => ['true', 'false']));
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

test('no two routes share a method and a path', () => {
  const keys = (Object.values(routes) as RouteSpec[]).map((r) => `${r.method} ${r.path.replace(/:\w+/g, ':')}`);
  expect(new Set(keys).size).toBe(keys.length);
});
