/**
 * Work that is dear and says the same to everybody who asks the same, done once at a time. Whoever asks while it runs shares,
 * with all others that do, the one run after it: every answer is of after its question.
 */
export function oneAtATime<In, Out>(
  work: (given: In) => Promise<Out>,
  questionOf: (given: In) => unknown = () => undefined,
): (given: In) => Promise<Out> {
  let last: Promise<unknown> = Promise.resolve();
  const waiting = new Map<unknown, Promise<Out>>();
  return (given) => {
    const question = questionOf(given);
    const shared = waiting.get(question);
    if (shared) return shared;
    const run = last.then(() => {
      waiting.delete(question);
      return work(given);
    });
    waiting.set(question, run);
    last = run.catch(() => undefined);
    return run;
  };
}
