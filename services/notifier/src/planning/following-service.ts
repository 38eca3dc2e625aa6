import type { EventData, EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { againstLeaving, type Followed } from '../followed/followed.rules.ts';
import { learn } from '../followed/followed-service.ts';
import { followTasks } from '../tasks/task-service.ts';
import { plannedMessagesOf } from './action-store.ts';
import { type Action, asksForTask } from './alert-actions.rules.ts';
import { markWithoutEnd } from './ends-service.ts';
import { type Stop, stopMessages } from './stopping-service.ts';

/** Keeps up with renewals: what has not left yet and is pointless now is stopped, and its tasks are closed. */
export async function followRenewals(
  deps: Deps,
  trx: Trx,
  changed: readonly EventOf<'renewal.changed'>[],
): Promise<void> {
  const facts = changed.map(({ data }) => followedFrom(data));
  const renewals = await learn(trx, facts, { overTheSameVersion: true });
  const planned = await plannedMessagesOf(trx, [...renewals.keys()]);
  await stopMessages(
    deps,
    trx,
    planned.flatMap((action) => stopOf(action, renewals, deps.today())),
  );
  const decided = await markWithoutEnd(deps, trx, [...renewals.values()]);
  const askedFor = decided.filter(asksForTask);
  await followTasks(deps, trx, [...renewals.values()], new Set(askedFor.map(({ renewal_id }) => renewal_id)));
}

const followedFrom = (told: EventData<'renewal.changed'>): Followed => ({
  renewal_id: told.renewal_id,
  customer_id: told.customer_id,
  written_under: told.written_under ?? null,
  due_date: told.due_date,
  status: told.status,
  assigned_agent: told.assigned_agent,
  reminders: told.reminders,
  hold: told.hold,
  version: told.version,
});

function stopOf(action: Action, renewals: ReadonlyMap<string, Followed>, today: string): Stop[] {
  const renewal = renewals.get(action.renewal_id);
  const reason = renewal ? againstLeaving(renewal, action.due_date, 1, today) : null;
  return reason ? [{ action, reason }] : [];
}
