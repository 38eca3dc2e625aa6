import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../src/openapi.ts';
import { rawWords } from './raw-words.ts';

export interface SeenResponse {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  headers: Headers;
  /** Parsed when it is JSON; undefined when there is none, or it was not read. */
  body: unknown;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
}
interface Operation {
  responses: Record<string, { content?: Record<string, unknown> }>;
}

const document = openApiDocument() as Document;
// The document as a whole is no schema, so there is nothing to check it against.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'openapi', ...document });
const parametersIn = (template: string) => template.split('{').length;
/** A path that is written out comes before one that a parameter would make the same. */
const templates = Object.keys(document.paths)
  .toSorted((one, other) => parametersIn(one) - parametersIn(other))
  .map((template) => ({ template, pattern: patternOf(template) }));

/** Throws unless this is what the OpenAPI document promises for that call. A path it does not know may only be refused. */
export function checkResponse(seen: SeenResponse): void {
  const said = `${seen.method} ${seen.path} answered ${seen.status}`;
  const mediaType = seen.headers.get('content-type')?.split(';')[0] ?? 'none';
  const place = placeOf(seen, mediaType);
  if (place === undefined) throw new Error(`${said} as ${mediaType}: not in the OpenAPI document`);
  if (seen.body !== undefined && place !== 'refused') checkBody(said, validatorAt(place), seen.body);
  if (seen.status >= 400) checkProblem(said, seen, mediaType);
}

/** Pointer to the schema of the body, or `refused` for an error on a path that is in no document. */
function placeOf({ method, path, status }: SeenResponse, mediaType: string): string[] | 'refused' | undefined {
  const bare = path.split('?')[0] ?? path;
  const verb = method.toLowerCase();
  // A word in a path may stand where another template has an id.
  const fitting = templates.filter(({ template, pattern }) => pattern.test(bare) && document.paths[template]?.[verb]);
  const template = (fitting.find(({ template }) => template === bare) ?? fitting[0])?.template;
  const operation = template && document.paths[template]?.[verb];
  if (!operation) return status >= 400 ? 'refused' : undefined;
  const promised = operation.responses[status]?.content ?? {};
  const listed = [mediaType, '*/*'].find((type) => promised[type] !== undefined);
  return listed === undefined
    ? undefined
    : ['paths', template, verb, 'responses', String(status), 'content', listed, 'schema'];
}

const validators = new Map<string, ValidateFunction>();

function validatorAt(place: string[]): ValidateFunction {
  const pointer = place.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
  const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#/${pointer}` });
  validators.set(pointer, known);
  return known;
}

function checkBody(said: string, validate: ValidateFunction, body: unknown): void {
  if (!validate(body)) throw new Error(`${said}, not as the OpenAPI document says: ${ajv.errorsText(validate.errors)}`);
}

function checkProblem(said: string, { status, headers, body }: SeenResponse, mediaType: string): void {
  if (mediaType !== 'application/problem+json') throw new Error(`${said} as ${mediaType}, not as a problem`);
  const problem = body as { status?: unknown; request_id?: unknown; errors?: { message: string }[] } | undefined;
  if (problem === undefined) return;
  if (problem.status !== status) throw new Error(`${said}, its problem says ${problem.status}`);
  if (problem.request_id !== headers.get('x-request-id')) throw new Error(`${said}, header and body name two requests`);
  const raw = problem.errors?.find(({ message }) => rawWords.test(message));
  if (raw) throw new Error(`${said} in the words of a validator: ${raw.message}`);
}

function patternOf(template: string): RegExp {
  const parts = template.split('/').map((part) => (/^\{.*\}$/.test(part) ? '[^/]+' : part.replace(/[.+]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
