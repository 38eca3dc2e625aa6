import { z } from 'zod';

type Issue = z.core.$ZodRawIssue;
type Of<Code extends Issue['code']> = Extract<Issue, { code: Code }>;

/**
 * What is wrong with a field, said after its name to whoever sent it: each sentence completes "phone ...". A schema that
 * knows better says so itself.
 */
export function plainWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? isRequired : (kinds[issue.expected] ?? notValid);
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_format':
      return formats[issue.format] ?? 'is not in the form it must have';
    case 'invalid_value':
      return oneOf(issue.values);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have the fields ${issue.keys.join(', ')}`;
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? notValid;
    case 'invalid_union':
      return unionWords(issue);
    default:
      return notValid;
  }
}

/** Wherever a schema has no words of its own; whoever reads input has a schema of these resources. */
z.config({ customError: plainWords });

export const isRequired = 'is required';
export const notKnown = 'is not a known field';
const notValid = 'is not valid';

const kinds: Partial<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  nan: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
  null: 'must be null',
};

const formats: Partial<Record<string, string>> = {
  date: 'must be a date such as 2026-03-31',
  datetime: 'must be a time such as 2026-03-31T14:30:00Z',
  uuid: 'must be an id such as 0195c4e0-0000-7000-8000-000000000009',
  email: 'must be an e-mail address such as ada@example.com',
  url: 'must be an address such as https://example.com/',
};

const units: Partial<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

const counted = (count: unknown, [one, many]: [string, string]) => `${count} ${Number(count) === 1 ? one : many}`;

function tooSmall({ origin, minimum, inclusive, exact }: Of<'too_small'>): string {
  const unit = units[origin];
  if (unit && Number(minimum) === 1 && !exact) return 'must not be empty';
  if (unit) return `must have ${exact ? 'exactly' : 'at least'} ${counted(minimum, unit)}`;
  return `must be ${inclusive === false ? 'more than' : 'at least'} ${minimum}`;
}

function tooBig({ origin, maximum, inclusive, exact }: Of<'too_big'>): string {
  const unit = units[origin];
  if (unit) return `must have ${exact ? 'exactly' : 'at most'} ${counted(maximum, unit)}`;
  return `must be ${inclusive === false ? 'less than' : 'at most'} ${maximum}`;
}

const oneOf = (values: readonly unknown[]): string =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;

/** By the field that says which form it has; else by what each form misses. */
function unionWords(issue: Of<'invalid_union'>): string {
  if (Array.isArray(issue.options) && issue.options.length > 0) return oneOf(issue.options);
  const [first, ...others] = new Set(issue.errors.map(([one]) => (one?.path.length === 0 ? one.message : notValid)));
  return first === undefined || others.length > 0 ? 'is in no form that is taken' : first;
}
