import { openApiDocument } from '@ops/contracts/openapi';
import type { Role } from '@ops/contracts/roles';
import { roles } from '@ops/contracts/roles';
import { type RouteSpec, routes, serviceNames } from '@ops/contracts/routes';
import fc from 'fast-check';
import { type Schema, valuesOf } from './drawn-values.ts';
import { samples } from './samples.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
const resolve = (ref: string): Schema => document.components.schemas[ref.split('/').at(-1) ?? ''] ?? {};

export interface DrawnRequest {
  role: Role;
  /** Of the customer who asks, where one does. */
  sub?: string;
  /** As the document writes it. */
  operation: string;
  method: string;
  path: string;
  body?: unknown;
  headersOnly: boolean;
}

/** Ids of what is there, by what it is: learned from answers, so that later requests are about it. */
export interface Seen {
  ids(kind: string): string[];
  learn(request: DrawnRequest, answer: unknown): void;
}

const mostKept = 200;

export function createSeen(customers: string[]): Seen {
  const kept = new Map<string, string[]>([['customers', [...customers]]]);
  const ids = (kind: string) => kept.get(kind) ?? [];
  return {
    ids,
    learn({ operation }, answer) {
      const kind = kindAnswered(operation);
      if (kind === undefined || typeof answer !== 'object' || answer === null) return;
      const items = 'data' in answer && Array.isArray(answer.data) ? answer.data : [answer];
      const fresh = items.flatMap((item) => item?.renewal_id ?? item?.run_id ?? item?.code ?? item?.id ?? []);
      const all = new Set([...ids(kind), ...fresh.filter((id) => typeof id === 'string')]);
      kept.set(kind, [...all].slice(-mostKept));
    },
  };
}

/** What is listed, made or answered there. */
const answeredBy: readonly [RegExp, string][] = [
  [/(notes|communications|failed|search)$/, 'communications'],
  [/POST \/ops\/customers$/, 'customers'],
  [/imports\/customers$/, 'imports/customers'],
  [/imports\/renewals$/, 'imports/renewals'],
  [/attachments$/, 'attachments'],
  [/renewals$/, 'renewals'],
  [/refresh$/, 'refresh'],
  [/\/(proposals|erase)$/, 'proposals'],
  [/ops\/(tasks|agents|unmatched|webhook-deliveries|service-types)$/, '$1'],
];

function kindAnswered(operation: string): string | undefined {
  for (const [pattern, kind] of answeredBy) {
    const found = pattern.exec(operation);
    if (found) return kind.replace('$1', found[1] ?? '');
  }
}

/** What a parameter of a path names. */
const kindNamed = (before: string) => (/imports\/\w+$/.exec(before) ?? /[\w-]+$/.exec(before))?.[0] ?? '';

const oneOf = (ids: string[]) => fc.constantFrom(...(ids.length > 0 ? ids : ['01890000-0000-7000-8000-000000000000']));
const some = (ids: string[]) => fc.uniqueArray(oneOf(ids), { minLength: 1, maxLength: 3 });
const agents = ['demo-agent-1', 'demo-agent-2'];
const agent = fc.constantFrom(...agents, null);
const phone = fc.integer({ min: 100, max: 999 }).map((n) => `+447700900${n}`);

const knownFields = (seen: Seen): Record<string, fc.Arbitrary<unknown>> => ({
  customer_id: oneOf(seen.ids('customers')),
  customer_ids: some(seen.ids('customers')),
  into: oneOf(seen.ids('customers')),
  renewal_id: oneOf(seen.ids('renewals')),
  renewal_ids: some(seen.ids('renewals')),
  task_ids: some(seen.ids('tasks')),
  attachments: fc.constant([]),
  assigned_agent: agent,
  deputy: agent,
  phones: fc.array(phone, { maxLength: 2 }),
  language: fc.constantFrom('en', 'de'),
  locale: fc.constantFrom('en', 'de'),
  time_zone: fc.constantFrom('Europe/Berlin', 'Asia/Tokyo'),
  value: phone,
  until: fc
    .integer({ min: 1, max: 50 })
    .map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)),
  service_type: fc.constantFrom('RESIDENCE_PERMIT', 'WORK_PERMIT'),
});

const templateOf: Record<string, fc.Arbitrary<string>> = {
  rung: fc.constantFrom('90', '60', '30', '14', '7'),
  channel: fc.constantFrom('EMAIL', 'SMS', 'MESSAGING_APP'),
  locale: fc.constantFrom('en', 'de'),
  name: fc.constantFrom(...serviceNames),
};

interface Route {
  spec: RouteSpec;
  operation: Operation;
  template: string;
  sampled: unknown;
}

const table: Route[] = samples('C-drawn-1').flatMap(({ spec, body }) => {
  const template = spec.path.replace(/:(\w+)/g, '{$1}');
  const operation = document.paths[template]?.[spec.method.toLowerCase()];
  return operation ? [{ spec, operation, template, sampled: body }] : [];
});
if (table.length !== Object.keys(routes).length) throw new Error('a route is missing in the document');

/** Of any route, as a role that may or, one in ten, as any; with ids that were seen and values that the document allows. */
export const drawnRequest = (seen: Seen): fc.Arbitrary<DrawnRequest> =>
  fc.constantFrom(...table).chain((route) => {
    const allowed = fc.constantFrom(...route.spec.roles);
    return requestOf(
      route,
      seen,
      fc.oneof({ weight: 9, arbitrary: allowed }, { weight: 1, arbitrary: fc.constantFrom(...roles) }),
    );
  });

/** One of every route for each role that may. */
export const ofEveryRouteAndRole = (seen: Seen): fc.Arbitrary<DrawnRequest>[] =>
  table.flatMap((route) => route.spec.roles.map((role) => requestOf(route, seen, fc.constant(role))));

const requestOf = ({ spec, operation, template, sampled }: Route, seen: Seen, roleOf: fc.Arbitrary<Role>) =>
  fc
    .record({
      role: roleOf,
      admin: fc.constantFrom('demo-admin-1', 'demo-admin-2'),
      path: pathOf(template, seen),
      query: queryOf(operation, seen),
      body: bodyOf(operation, sampled, seen),
    })
    .map(
      ({ role, admin, path, query, body }): DrawnRequest => ({
        role,
        ...(role === 'customer' && { sub: ownerOf(path) }),
        ...(role === 'admin' && { sub: admin }),
        operation: `${spec.method} ${template}`,
        method: spec.method,
        path: path + query,
        headersOnly: template === '/ops/stream',
        ...(body !== undefined && { body }),
      }),
    );

const ownerOf = (path: string) => /customers\/([^/?]+)/.exec(path)?.[1] ?? 'C-drawn-1';

function pathOf(template: string, seen: Seen): fc.Arbitrary<string> {
  const parts = template.split(/(\{\w+\})/);
  const drawn = parts.map((part, at) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) return fc.constant(part);
    return templateOf[name] ?? oneOf(seen.ids(kindNamed((parts[at - 1] ?? '').replace(/\/$/, ''))));
  });
  return fc.tuple(...drawn).map((all) => all.join(''));
}

function queryOf({ parameters = [] }: Operation, seen: Seen): fc.Arbitrary<string> {
  const asked = parameters.filter(({ in: place, name }) => place === 'query' && name !== 'cursor');
  const known = knownFields(seen);
  const fields = asked.map(
    ({ name, schema }) => [name, known[name] ?? valuesOf(schema, resolve, () => undefined)] as const,
  );
  const requiredKeys = asked.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(fields), { requiredKeys: requiredKeys as never[] }).map((drawn) => {
    const pairs = Object.entries(drawn as Record<string, unknown>).filter(([, value]) => value !== null);
    // Rare in what people ask: most lists are asked for as they are.
    const kept = pairs.filter(([name], at) => requiredKeys.includes(name) || at % 3 === 0);
    const query = new URLSearchParams(
      Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    ).toString();
    return query && `?${query}`;
  });
}

/** Below the header of a file to import; more words in any other. */
const rowBelow = (header: string) => `C-drawn-2,${header.includes('due_date') ? 'WORK_PERMIT,2030-01-31' : 'Demo'}\n`;
const isId = (value: unknown) => typeof value === 'string' && /^[0-9a-f]{8}-/.test(value);

function bodyOf({ requestBody }: Operation, sampled: unknown, seen: Seen): fc.Arbitrary<unknown> {
  const schema = requestBody?.content['application/json']?.schema;
  if (!requestBody) return fc.constant(undefined);
  if (!schema) return fc.constant(Buffer.from(`${sampled}${rowBelow(String(sampled))}`));
  const known = knownFields(seen);
  const drawn = valuesOf(schema, resolve, (name) => known[name]);
  if (typeof sampled !== 'object' || sampled === null) return drawn;
  const usually = (name: string, value: unknown) =>
    known[name] ?? (isId(value) ? oneOf(seen.ids('communications')) : fc.constant(value));
  const fields = Object.entries(sampled).map(([name, value]) => [name, usually(name, value)]);
  const usual = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
  return fc.oneof({ weight: 2, arbitrary: usual }, { weight: 1, arbitrary: drawn });
}
