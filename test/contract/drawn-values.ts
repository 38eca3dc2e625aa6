import fc from 'fast-check';

/** As much of a JSON schema as the OpenAPI document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  format?: string;
  pattern?: string;
}

/** What is known of a field beyond its schema, such as the id of something that is there. */
export type Known = (name: string) => fc.Arbitrary<unknown> | undefined;

/** Values that a schema allows. Not all will be taken: what holds between two fields stands in no schema. */
export function valuesOf(schema: Schema, resolve: (ref: string) => Schema, known: Known): fc.Arbitrary<unknown> {
  const of = (inner: Schema) => valuesOf(inner, resolve, known);
  if (schema.$ref) return of(resolve(schema.$ref));
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return fc.oneof(...alternatives.map(of));
  if (schema.allOf) return fc.tuple(...schema.allOf.map(of)).map((parts) => Object.assign({}, ...(parts as object[])));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object' || schema.properties) return objects(schema, of, known);
  if (type === 'array') {
    const { items = {}, minItems: minLength = 0, maxItems = 3 } = schema;
    return fc.array(of(items), { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 3)) });
  }
  if (type === 'integer' || type === 'number') {
    const { minimum: min = 0, maximum = 1_000 } = schema;
    return fc.integer({ min, max: Math.min(maximum, 100_000) });
  }
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return strings(schema);
}

function objects(
  { properties = {}, required = [], additionalProperties }: Schema,
  of: (schema: Schema) => fc.Arbitrary<unknown>,
  known: Known,
): fc.Arbitrary<unknown> {
  const fields = Object.entries(properties).map(([name, field]) => [name, known(name) ?? of(field)] as const);
  const written = fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
  if (fields.length > 0 || typeof additionalProperties !== 'object') return written;
  return fc.dictionary(fc.constantFrom('en', 'de', '30', 'EMAIL', 'SMS'), of(additionalProperties), { maxKeys: 2 });
}

const day = fc.date({ min: new Date('2026-01-01'), max: new Date('2031-12-31'), noInvalidDate: true });
const formats: Record<string, fc.Arbitrary<string>> = {
  date: day.map((at) => at.toISOString().slice(0, 10)),
  'date-time': day.map((at) => at.toISOString()),
  email: fc.integer({ min: 1, max: 500 }).map((n) => `demo${n}@example.com`),
  uuid: fc.uuid({ version: 7 }),
};

function strings({ format = '', pattern, minLength = 0, maxLength = 60 }: Schema): fc.Arbitrary<string> {
  if (formats[format]) return formats[format];
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length <= maxLength);
  return fc.string({ unit: 'grapheme', minLength: Math.max(minLength, 1), maxLength: Math.min(maxLength, 60) });
}
