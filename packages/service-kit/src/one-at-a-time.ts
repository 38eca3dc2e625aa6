/**
 * Work that is dear and says the same to everybody, done once at a time. Whoever asks while it runs shares, with all others
 * that do, the one run after it: every answer is of after its question.
 */
export function oneAtATime<In, Out>(work: (given: In) => Promise<Out>): (given: In) => Promise<Out> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Out> | undefined;
  const begin = (given: In) => {
    next = undefined;
    const run = work(given);
    running = run.catch(() => undefined);
    return run;
  };
  return (given) => {
    next ??= running.then(() => begin(given));
    return next;
  };
}
