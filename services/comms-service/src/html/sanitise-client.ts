import { createThreads, type ThreadLimits } from '@ops/service-kit/threads';
import { BusyError } from '@ops/service-kit/turns';

export interface HtmlOfMail {
  /** Its beginning at least, as far as anything is shown of it. */
  html: Uint8Array;
  /** Where an embedded image is found, by its content id. */
  pictures: ReadonlyMap<string, string>;
}

/** `too_much`: it goes beyond what a mail may take. `busy`: nobody has tried. */
export type Sanitised = { page: string } | 'too_much' | 'busy';

export type Sanitise = (mail: HtmlOfMail) => Promise<Sanitised>;

/** The worst mail we know takes some seconds and less than 100 MB. */
const installed: ThreadLimits = { atOnce: 2, waiting: 20, milliseconds: 20_000, megabytes: 256 };

/** A mail may be made to take seconds, so that it is made harmless aside, while everybody else is answered. */
export function createSanitiser(limits: Partial<ThreadLimits> = {}): Sanitise {
  const inThread = createThreads({ ...installed, ...limits });
  const script = new URL('./sanitise-worker.ts', import.meta.url);
  return (mail) =>
    inThread<string>(script, mail).then(
      (page): Sanitised => ({ page }),
      (error: unknown): Sanitised => (error instanceof BusyError ? 'busy' : 'too_much'),
    );
}
