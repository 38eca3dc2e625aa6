import type { components } from './schema.gen.ts';

export type Problem = components['schemas']['Problem'];

/** What the service answered instead of what was asked for; `status` 0: it was not reached at all. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem>) {
    super(problem.detail ?? problem.title ?? 'The service could not be reached');
    this.status = status;
    this.problem = problem;
  }

  /** The message of one field. */
  field(path: string): string | undefined {
    return this.problem.errors?.find((one) => one.path === path)?.message;
  }
}

export const asProblem = (error: unknown): ProblemError =>
  error instanceof ProblemError
    ? error
    : new ProblemError(0, { title: 'The service could not be reached', detail: 'Check the connection and try again.' });
