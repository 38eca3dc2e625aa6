import { text } from 'node:stream/consumers';
import { type AwaitedAlerts, type ForeseenAlert, internalRoutes } from '@ops/contracts/internal-routes';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import type { OutreachStep } from '@ops/contracts/resources/outreach';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { listen } from '@ops/service-kit/http-server';

/** notifier, as far as this service asks it: everybody is an agent but whoever is called a ghost. */
export interface TestNotifier {
  url: string;
  /** What it answers of an alert. */
  foreseeing(alert: AwaitedAlerts['alerts'][number]): ForeseenAlert;
  /** It answers 503 from now on, or works again. */
  away(isAway: boolean): void;
  close(): Promise<void>;
}

export async function startTestNotifier(): Promise<TestNotifier> {
  let isAway = false;
  const answers = {
    [internalRoutes.readKnownAgents.path]: ({ ids }: { ids: string[] }) => ids.filter((id) => !id.startsWith('ghost')),
    [internalRoutes.foreseeAlerts.path]: ({ data }: { data: AwaitedAlerts[] }) =>
      data.map(({ alerts }) => alerts.map(notifier.foreseeing)),
  } as Record<string, (asked: unknown) => unknown[]>;
  const answer = (url: string, asked: string): object | undefined => {
    if (url === internalRoutes.readAlertPlan.path) return planOf(usualOutreach, 1);
    const data = answers[url]?.(JSON.parse(asked));
    return data && { data };
  };
  const server = await listen(
    async (req, res) => {
      const asked = await text(req);
      const answered = isAway ? undefined : answer(req.url ?? '', asked);
      res.writeHead(answered ? 200 : 503, { 'content-type': 'application/json' }).end(JSON.stringify(answered ?? {}));
    },
    { host: '127.0.0.1', port: 0 },
  );
  const notifier: TestNotifier = {
    url: `http://127.0.0.1:${server.port}`,
    foreseeing: () => ({ messages: 0, task: false, leaves: null }),
    away(given) {
      isAway = given;
    },
    close: () => server.close(),
  };
  return notifier;
}

const atSixty = (outreach: readonly OutreachStep[], rung: Rung) => ({
  channels: [],
  task: null,
  outreach: rung === '60' ? [...outreach] : [],
});

/** An alert plan in which these steps follow the alert of 60. */
export const planOf = (outreach: readonly OutreachStep[], version: number) => ({
  steps: Object.fromEntries(rungs.map((rung) => [rung, atSixty(outreach, rung)])) as unknown as AlertPlan['steps'],
  version,
});

/** As installed. */
export const usualOutreach: readonly OutreachStep[] = [
  { after_days: 7, channels: ['EMAIL'], task: null },
  { after_days: 14, channels: ['MESSAGING_APP', 'SMS'], task: null },
  { after_days: 21, channels: [], task: 'NORMAL' },
];

/** Alerts that lead to nothing. */
export const noAlerts = { foresee: async (awaited: readonly AwaitedAlerts[]) => awaited.map(() => []) };

/** As though notifier had told of them. */
export const tellOfAgents = (db: Db, ...ids: string[]): Promise<unknown> =>
  db('agents')
    .insert(ids.map((id) => ({ id, name: id, version: 1 })))
    .onConflict('id')
    .merge();
