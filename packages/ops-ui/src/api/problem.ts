import { asSentence } from '../parts/words.ts';
import { fieldWords } from './field-words.ts';
import type { components } from './schema.gen.ts';

export type Problem = components['schemas']['Problem'];

/** What the service answered instead of what was asked for; `status` 0: it was not reached at all. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(fieldsInWords(problem) ?? problem.detail ?? problem.title ?? 'The service could not be reached');
    this.status = status;
    this.problem = problem;
  }

  /** The message of one field. */
  field(path: string): string | undefined {
    const message = this.problem.errors?.find((one) => one.path === path)?.message;
    return message && fieldWords(message);
  }

  /** That of a field which holds a list, one on each line, with the line it is about. */
  lines(path: string): string | undefined {
    const { errors = [] } = this.problem;
    const [wrong] = errors.flatMap(({ path: at, message }) =>
      at.startsWith(`${path}.`) ? `Line ${Number(at.slice(path.length + 1)) + 1}: ${message}` : [],
    );
    return wrong ?? this.field(path);
  }
}

/** For where there is no field to show it at: "Due date must be a date." */
function fieldsInWords({ code, errors = [] }: Partial<Problem>): string | undefined {
  if (code !== 'validation_failed' || errors.length === 0) return undefined;
  return errors
    .map(({ path, message }) => {
      const words = fieldWords(message);
      return asSentence(path === '$' ? words : `${path.replaceAll(/[_.]/g, ' ')}: ${words}`);
    })
    .join(' ');
}

export const asProblem = (error: unknown): ProblemError =>
  error instanceof ProblemError
    ? error
    : new ProblemError(0, { title: 'The service could not be reached', detail: 'Check the connection and try again.' });
