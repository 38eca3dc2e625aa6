import type { NewEvent } from '@ops/bus/outbox';
import type { FieldError } from '@ops/contracts/problem';
import type { Agent, PutAgent } from '@ops/contracts/resources/task';
import { knownOf } from '@ops/following/agent-service';
import { audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './agent-store.ts';

export { namesOf } from './agent-store.ts';

export const listAgents = async (db: Db): Promise<{ data: Agent[] }> => ({ data: await store.allAgents(db) });

export async function putAgent(
  deps: Deps,
  trx: Trx,
  id: string,
  input: PutAgent,
  ifMatch: string | undefined,
): Promise<{ agent: Agent; created: boolean }> {
  const stored = await store.lockAgent(trx, id);
  requireMatch(ifMatch, stored?.version);
  const { name, email = null, absent_until = null, deputy = null } = input;
  const wanted = { name, email, absent_until, deputy };
  if (stored && isSo(stored, wanted)) return { agent: stored, created: false };
  if (deputy === id) throw unprocessable([{ path: 'deputy', message: 'cannot be the agent' }]);
  await refuseUnknown(trx, 'deputy', deputy, stored?.deputy);
  const created = stored ? undefined : await store.insertAgent(trx, id, wanted, deps.now());
  // A twin described the agent while this one looked: now there is a row to lock.
  if (!stored && !created) return putAgent(deps, trx, id, input, ifMatch);
  const agent = created ?? (await store.updateAgent(trx, id, wanted, deps.now()));
  await deps.outbox.add(trx, agentChanged(agent));
  await audit(trx, { subject: subjectOf(id), before: stored && describedOf(stored), after: wanted });
  return { agent, created: created !== undefined };
}

export const historyOfAgent = (db: Db, id: string, query: HistoryQuery) => historyOf(db, subjectOf(id), query);

const subjectOf = (id: string) => ({ kind: 'agent', id }) as const;

const describedOf = ({ name, email, absent_until, deputy }: Agent): store.Described => ({
  name,
  email,
  absent_until,
  deputy,
});

const isSo = (stored: Agent, wanted: store.Described): boolean =>
  (Object.keys(wanted) as (keyof store.Described)[]).every((field) => stored[field] === wanted[field]);

/** Whoever signs in is an agent from then on; one that is known already stays as described. */
export async function noteSignIn(deps: Deps, trx: Trx, { id, name }: { id: string; name: string }): Promise<void> {
  const unknown = { name, email: null, absent_until: null, deputy: null };
  const agent = await store.insertAgent(trx, id, unknown, deps.now());
  if (agent) await deps.outbox.add(trx, agentChanged(agent));
}

/** Those that nobody was told of: after an upgrade all, later those that the version before changes beside this one. */
export const tellUntold = (deps: Pick<Deps, 'outbox'>, db: Db): Promise<void> =>
  inTransaction(db, async (trx) => {
    await deps.outbox.addMany(trx, (await store.takeUntold(trx)).map(agentChanged));
  });

const agentChanged = ({ id, name, absent_until, deputy, version, updated_at }: Agent): NewEvent<'agent.changed'> => ({
  type: 'agent.changed',
  data: { agent_id: id, name, absent_until, deputy, version, occurred_at: updated_at },
});

/** Somebody nobody knows can be given nothing; who has it already, from before agents were known, may be named again. */
export async function refuseUnknown(
  trx: Trx,
  path: FieldError['path'],
  agent: string | null | undefined,
  before: string | null | undefined,
): Promise<void> {
  if (typeof agent !== 'string' || agent === before) return;
  if ((await knownOf(trx, [agent])).length === 0) throw unprocessable([{ path, message: 'is not a known agent' }]);
}
