import type { AlertPlan, PutAlertPlan } from '@ops/contracts/resources/alert-plan';
import type { OutreachStep } from '@ops/contracts/resources/outreach';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';

/** A plan without who wrote it when. */
export type Plan = Pick<AlertPlan, 'steps' | 'fall_through' | 'quiet_hours'>;

/** Who says nothing of what follows a rung knows nothing of it, and leaves it as it is. */
export function completed({ steps: asked, ...rest }: PutAlertPlan, stored: Plan['steps']): Plan {
  const steps = rungs.map((rung) => {
    const { channels, task, outreach = stored[rung].outreach } = asked[rung];
    return [rung, { channels, task, outreach }] as const;
  });
  return { ...rest, steps: Object.fromEntries(steps) as Plan['steps'] };
}

interface Problem {
  path: string;
  message: string;
}

export function problemsOf({ steps, fall_through, quiet_hours }: Plan): Problem[] {
  const lists = [
    ...rungs.map((rung) => ({ path: `steps.${rung}.channels`, list: steps[rung].channels })),
    ...rungs.flatMap((rung) => steps[rung].outreach.map(({ channels }, n) => channelsOf(rung, n, channels))),
    { path: 'fall_through', list: fall_through },
  ];
  const repeated = lists.filter(({ list }) => new Set(list).size < list.length);
  return [
    ...repeated.map(({ path }) => ({ path, message: 'must not repeat' })),
    ...rungs.flatMap((rung) => outreachProblems(rung, steps[rung].outreach)),
    ...(quiet_hours && quiet_hours.from === quiet_hours.until
      ? [{ path: 'quiet_hours.until', message: 'must differ from `from`; null means no quiet hours' }]
      : []),
  ];
}

const channelsOf = (rung: Rung, n: number, list: readonly string[]) => ({ path: pathOf(rung, n, 'channels'), list });

const pathOf = (rung: Rung, n: number, field: keyof OutreachStep) => `steps.${rung}.outreach.${n}.${field}`;

/** Days count from the alert; the next rung, if there is one, ends what follows it. */
function outreachProblems(rung: Rung, outreach: readonly OutreachStep[]): Problem[] {
  const room = daysUntilNext(rung);
  return outreach.flatMap(({ after_days, channels, task }, n) => {
    const before = outreach[n - 1]?.after_days ?? 0;
    const isLate = room !== null && after_days >= room;
    return [
      ...(n > 0 && after_days <= before
        ? [{ path: pathOf(rung, n, 'after_days'), message: `must be more than the ${before} of the step before` }]
        : []),
      ...(isLate
        ? [{ path: pathOf(rung, n, 'after_days'), message: `must be less than ${room}: the next rung is reached then` }]
        : []),
      ...(channels.length === 0 && task === null
        ? [{ path: pathOf(rung, n, 'channels'), message: 'must name a channel, unless the step gives a task' }]
        : []),
    ];
  });
}

const daysAt = (rung: Rung): number => (rung === 'OVERDUE' ? -1 : Number(rung));

/** Null: no rung comes after it. */
function daysUntilNext(rung: Rung): number | null {
  const next = rungs[rungs.indexOf(rung) + 1];
  return next === undefined ? null : daysAt(rung) - daysAt(next);
}
