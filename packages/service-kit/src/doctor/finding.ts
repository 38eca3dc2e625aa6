/** What a check came to, in words for an engineer. What is not well says what to do. */
export type Finding = { status: 'ok'; said: string } | { status: 'warning' | 'failed'; said: string; fix: string };
export type Line = Finding & { name: string };

export const ok = (name: string, said: string): Line => ({ name, status: 'ok', said });
export const warning = (name: string, said: string, fix: string): Line => ({ name, status: 'warning', said, fix });
export const failed = (name: string, said: string, fix: string): Line => ({ name, status: 'failed', said, fix });

/** One thing that is looked at. It changes nothing, sends nothing to anybody, and may be left alone when time is up. */
export interface Check {
  name: string;
  /** What to do when it throws or takes too long. */
  fix: string;
  /** The settings alone answer it: nobody is asked. */
  alone?: boolean;
  run(): Promise<Line[]>;
}

/** What was found of one process. */
export interface Examined {
  process: string;
  checks: Line[];
}
