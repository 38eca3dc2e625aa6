import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { describeCsv } from './csv.ts';
import { problem } from './problem.ts';
import { type RouteSpec, routes } from './routes.ts';
import { mostWebhookBytes, type WebhookSpec, webhookSecurity, webhooks } from './webhooks.ts';

/** The OpenAPI 3.1 document, generated from the tables of routes and webhooks: nothing in it is kept by hand. */
export function openApiDocument(): object {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Customer communications and renewals',
      version: '1.0.0',
      description:
        'One log of everything said to and by each customer, and an engine that lets no permit or policy expire unnoticed. ' +
        'Changes to version 1 are additive.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    security: [{ bearer: [] }, { session: [] }],
    tags: tags(),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        session: { type: 'apiKey', in: 'cookie', name: 'ops_session' },
        ...webhookSecurity,
      },
    },
    paths: paths(),
  });
}

/** `/ops/customers/:id` as OpenAPI writes it. */
export const openApiPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}');

function paths(): ZodOpenApiPathsObject {
  const all: ZodOpenApiPathsObject = {};
  for (const [name, spec] of Object.entries(routes) as [string, RouteSpec][]) {
    const path = openApiPath(spec.path);
    all[path] = { ...all[path], [spec.method.toLowerCase()]: operation(name, spec) };
  }
  for (const [name, spec] of Object.entries(webhooks) as [string, WebhookSpec][])
    all[spec.path] = { ...all[spec.path], [spec.method.toLowerCase()]: webhookOperation(name, spec) };
  return all;
}

const rolesOf = ({ roles, part }: RouteSpec) => [...roles, ...(part ? [`automation:${part}`] : [])];

function operation(name: string, spec: RouteSpec): ZodOpenApiOperationObject {
  return {
    operationId: name,
    summary: spec.summary,
    description: `Roles: ${rolesOf(spec).join(', ')}.${signInAgain(spec)}`,
    tags: [tagOf(spec)],
    requestParams: {
      ...fields('path', spec.params),
      ...fields('query', spec.query),
      ...headers(spec),
    },
    ...requestBody(spec),
    responses: { ...successes(spec), ...failures(spec) },
  };
}

const signInAgain = ({ recentSignIn }: RouteSpec) =>
  recentSignIn
    ? ` With the session of a browser 403 \`sign_in_again\` unless the sign-in is recent${recentSignIn === 'always' ? '' : ', or it is a dry run'}.`
    : '';

function requestBody({
  body,
  bodyType,
  bodyOptional,
  upload,
}: RouteSpec): Pick<ZodOpenApiOperationObject, 'requestBody'> {
  if (upload) return { requestBody: { required: true, ...file(upload) } };
  if (!body) return {};
  const types = [...(bodyType ? [bodyType] : []), 'application/json'];
  const content = Object.fromEntries(types.map((type) => [type, { schema: body }]));
  return { requestBody: { required: !bodyOptional, content } };
}

const file = ({ row }: NonNullable<RouteSpec['upload']>) =>
  row
    ? { description: describeCsv(row), content: { 'text/csv': { schema: { type: 'string' as const } } } }
    : { content: { '*/*': { schema: { type: 'string' as const, format: 'binary' } } } };

function fields(place: 'path' | 'query', schema: z.ZodType) {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length > 0 ? { [place]: schema } : {};
}

/** What is answered with a file is made anew each time. */
const isKept = ({ method, mediaType }: RouteSpec) => method === 'POST' && mediaType === undefined;

function headers(spec: RouteSpec) {
  const shape: Record<string, z.ZodType> = {};
  if (isKept(spec))
    shape['Idempotency-Key'] = z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'The same key and body again within 24 hours give the first response again' });
  if (spec.etag && spec.method !== 'GET')
    shape['If-Match'] = z.string().optional().meta({ description: 'ETag the change is based on' });
  if (spec.async)
    shape.Prefer = z.string().optional().meta({ description: '`respond-async`: answer at once, with 202, and go on' });
  return Object.keys(shape).length > 0 ? { header: z.object(shape) } : {};
}

const named = (id: string, description: string, schema: z.ZodType = z.string()) =>
  schema.meta({ header: { id, description } });

const everyAnswer = {
  'X-Request-Id': named('X-Request-Id', "The caller's own, or a new one; in every log line and event it causes"),
  'API-Version': named('API-Version', 'Always 1: changes are additive'),
  RateLimit: named('RateLimit', 'r requests are left for t seconds', z.string().optional()),
};
const entityTag = named('ETag', 'The version, for If-Match');
const retryAfter = named('Retry-After', 'Seconds to wait before asking again');
const replayed = named('Idempotency-Replayed', '`true`: this answer was given before', z.string().optional());

function answerHeaders(spec: RouteSpec, status: number) {
  return z.object({
    ...everyAnswer,
    ...(spec.etag && status < 300 && { ETag: entityTag }),
    ...(isKept(spec) && status < 500 && { 'Idempotency-Replayed': replayed }),
    ...((status === 429 || status === 503) && { 'Retry-After': retryAfter }),
  });
}

const successTitles = { 200: 'Done', 201: 'Created', 202: 'Accepted' } as const;

function successes(spec: RouteSpec) {
  const answers: ZodOpenApiOperationObject['responses'] = {};
  for (const status of [200, 201, 202] as const) {
    const schema = spec.success[status];
    if (schema)
      answers[`${status}`] = {
        description: successTitles[status],
        headers: answerHeaders(spec, status),
        content: { [spec.mediaType ?? 'application/json']: { schema } },
      };
  }
  return answers;
}

/** What can go wrong follows from the shape of the route; the gateway adds what every route may meet. */
function failures(spec: RouteSpec) {
  const possible: Record<number, string> = {
    400: 'Malformed request',
    401: 'No or bad token',
    403: 'Not for this role',
    404: 'No such thing',
    422: 'Failed validation; `errors` names each field',
    429: 'Too many requests; see Retry-After',
    500: 'A bug',
    502: 'The service answered nonsense',
    503: 'A dependency is down; see Retry-After',
    504: 'The service took too long',
  };
  if (spec.method !== 'GET') Object.assign(possible, { 409: 'Not possible in this state', 413: 'Body over the limit' });
  if (spec.etag && spec.method !== 'GET') possible[412] = 'Changed since; read it again';
  if (spec.body) possible[415] = 'Not JSON, or compressed';
  if (spec.upload) possible[415] = 'Compressed';
  return problems(possible, (status) => answerHeaders(spec, status));
}

const problems = (possible: Record<number, string>, headersOf: (status: number) => z.ZodObject) =>
  Object.fromEntries(
    Object.entries(possible).map(([status, description]) => [
      status,
      { description, headers: headersOf(Number(status)), content: { 'application/problem+json': { schema: problem } } },
    ]),
  );

function webhookOperation(name: string, spec: WebhookSpec): ZodOpenApiOperationObject {
  const { summary, security, query, body, answer } = spec;
  const headersOf = (status: number) =>
    z.object({
      'X-Request-Id': everyAnswer['X-Request-Id'],
      'API-Version': everyAnswer['API-Version'],
      ...(status === 503 && { 'Retry-After': retryAfter }),
    });
  const content = Object.entries(body ?? {}).map(([mediaType, schema]) => [mediaType, { schema }]);
  return {
    operationId: name,
    summary,
    tags: [webhookTag],
    security: security ? [{ [security]: [] }] : [],
    ...(query && { requestParams: { query } }),
    ...(body && { requestBody: { required: true, content: Object.fromEntries(content) } }),
    responses: {
      200: {
        description: answer.description,
        headers: headersOf(200),
        content: { [answer.mediaType]: { schema: z.string() } },
      },
      ...problems(webhookFailures(spec), headersOf),
    },
  };
}

/** Nothing of what was refused is kept; a provider that is answered 5xx posts it again. */
const webhookFailures = ({ method, path }: WebhookSpec): Record<number, string> => ({
  400: 'The request ended before its body did',
  ...(method === 'GET'
    ? { 403: 'Not our token' }
    : {
        401: 'The provider did not sign it',
        413: `Over the limit of ${mostWebhookBytes(path) / 1024 / 1024} MiB`,
        415: 'Compressed: signatures are over the bytes as they come',
      }),
  500: 'A bug',
  502: 'The service answered nonsense',
  503: 'Cannot be kept at the moment; see Retry-After',
  504: 'The service took too long',
});

const tagOf = (spec: RouteSpec) => (spec.owner === 'named' ? 'operations' : spec.owner);

const webhookTag = 'webhooks';

const tagSummaries: Record<string, string> = {
  'comms-service': 'Customers, communications and the timeline',
  'webhook-ingest': 'What providers posted',
  gateway: 'Who am I, and what changes live',
  [webhookTag]: 'What providers call; their signatures stand in the place of a role',
  operations: 'Every service: what its consumers gave up on',
};

function tags() {
  const used = new Set([...(Object.values(routes) as RouteSpec[]).map(tagOf), webhookTag]);
  return [...used].map((name) => ({ name, description: tagSummaries[name] ?? name }));
}
