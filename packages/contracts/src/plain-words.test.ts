import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { rawWords } from '../test/raw-words.ts';
import { routes } from './routes.ts';

const wordsFor = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues.map((one) => one.message);
const form = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]);

test.each<[string, z.ZodType, unknown]>([
  ['is required', z.string(), undefined],
  ['must be text', z.string(), 7],
  ['must be text', z.string().nullable(), {}],
  ['must not be empty', z.string().min(1), ''],
  ['must have at least 2 characters', z.string().min(2), 'x'],
  ['must have at most 2 characters', z.string().max(2), 'xyz'],
  ['must have exactly 2 characters', z.string().length(2), 'x'],
  ['must have at most 1 entry', z.array(z.string()).max(1), ['x', 'y']],
  ['must be a list', z.array(z.string()), 'x'],
  ['must be at least 1', z.int().min(1), 0],
  ['must be more than 0', z.number().positive(), 0],
  ['must be a whole number', z.int(), 1.5],
  ['must be a number', z.coerce.number(), 'x'],
  ['must be a multiple of 5', z.number().multipleOf(5), 7],
  ['must be a date such as 2026-03-31', z.iso.date(), '31.03.2026'],
  ['must be a time such as 2026-03-31T14:30:00Z', z.iso.datetime(), '14:30'],
  ['must be an id such as 0195c4e0-0000-7000-8000-000000000009', z.uuid(), 'x'],
  ['is not in the form it must have', z.string().regex(/x/), 'y'],
  ['must be on', z.literal('on'), 'off'],
  ['must be one of on, off', z.enum(['on', 'off']), 'x'],
  ['must have at least 3 characters', z.record(z.string().min(3), z.string()), { x: 'y' }],
  ['must be one of a, b', form, { kind: 'c' }],
  ['must be text', z.union([z.string(), z.string().min(1)]), 7],
  ['is in no form that is taken', z.union([z.string(), z.number()]), {}],
  ['is not valid', z.string().refine(() => false), 'x'],
])('%s', (words, schema, value) => {
  expect(wordsFor(schema, value)).toEqual([words]);
});

const schemas = Object.entries(routes).flatMap(([name, { params, query, ...others }]) =>
  Object.entries({ params, query, ...('body' in others ? { body: others.body } : {}) }).map(
    ([part, schema]) => [`${name}.${part}`, schema as z.ZodType] as const,
  ),
);
/** A field that is not known is named as it was sent: by letters, so that no name looks like raw words. */
const anything = () => fc.anything({ key: fc.stringMatching(/^[a-z]{1,5}$/) });
/** Anything for each field there is, and a field there is none of. */
const given = (schema: z.ZodType) =>
  schema instanceof z.ZodObject
    ? fc.oneof(
        fc.record(Object.fromEntries(Object.keys(schema.shape).map((key) => [key, anything()])), {
          requiredKeys: [],
        }),
        anything(),
      )
    : anything();

test.each(schemas)('whatever is sent as %s, what is wrong with it is said in sentences for people', (_, schema) => {
  fc.assert(
    fc.property(given(schema), (value) => {
      for (const message of wordsFor(schema, value) ?? []) {
        expect(message).not.toMatch(rawWords);
        expect(message).toMatch(/^[a-z]/);
      }
    }),
    { seed: 20_260_301, numRuns: 60 },
  );
});
