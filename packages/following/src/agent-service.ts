import type { PlainDate } from '@ops/contracts/dates';
import type { EventOf } from '@ops/contracts/events';
import { type OwnersOf, ownersFor, type Responsible, responsibleOn } from '@ops/contracts/responsible';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { unavailableWithout } from '@ops/service-kit/internal-client';
import type { Agents } from './agent-client.ts';
import * as store from './agent-store.ts';

export { knownOf } from './agent-store.ts';

export async function followAgents(trx: Trx, changed: readonly EventOf<'agent.changed'>[]): Promise<void> {
  for (const { data } of changed.toSorted((a, b) => (a.data.agent_id < b.data.agent_id ? -1 : 1)))
    await store.keepAgent(trx, data);
}

interface Clock {
  today: () => PlainDate;
}

export const responsibleToday = async ({ today }: Clock, db: Db | Trx): Promise<Responsible> =>
  responsibleOn(await store.presences(db), today());

export const ownersToday = async ({ today }: Clock, db: Db | Trx, responsible: string): Promise<OwnersOf> =>
  ownersFor(await store.presences(db), today(), responsible);

/** For a `catch`: notifier alone can say who is an agent. */
export const withoutAgents = unavailableWithout('Who is an agent');

interface Asked {
  agents: Agents;
}

/**
 * Those of these whom nobody knows. notifier is asked about whom it has not told of here yet, and rejects with an
 * InternalCallError while it is away.
 */
export async function unknownOf(
  { agents }: Asked,
  db: Db | Trx,
  named: readonly (string | null | undefined)[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(named.filter((id) => typeof id === 'string'))];
  const told = new Set(ids.length === 0 ? [] : await store.knownOf(db, ids));
  const untold = ids.filter((id) => !told.has(id));
  const known = new Set(untold.length === 0 ? [] : await agents.known(untold));
  return new Set(untold.filter((id) => !known.has(id)));
}

/** Somebody nobody knows can be given nothing; who has it already, from before agents were known, may be named again. */
export async function refuseUnknown(
  deps: Asked,
  db: Db | Trx,
  agent: string | null | undefined,
  before: string | null | undefined,
): Promise<void> {
  if (agent === before) return;
  const unknown = await unknownOf(deps, db, [agent]).catch(withoutAgents);
  if (unknown.size > 0) throw unprocessable([{ path: 'assigned_agent', message: 'is not a known agent' }]);
}
