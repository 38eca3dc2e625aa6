type Step = () => Promise<unknown>;

export interface Undo {
  /** Runs before all that was added earlier. */
  add(step: Step): void;
  /** All that was added, whatever fails of it. */
  all(): Promise<void>;
}

export function createUndo(): Undo {
  const steps: Step[] = [];
  return {
    add: (step) => void steps.push(step),
    async all() {
      const failures: unknown[] = [];
      for (let step = steps.pop(); step; step = steps.pop()) await step().catch((error) => failures.push(error));
      if (failures.length > 0) throw new AggregateError(failures, 'what a line had begun did not end well');
    },
  };
}
