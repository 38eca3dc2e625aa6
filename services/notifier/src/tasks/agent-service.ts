import type { Agent, PutAgent } from '@ops/contracts/resources/task';
import type { Db, Trx } from '@ops/service-kit/database';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './agent-store.ts';

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
  const wanted = { name: input.name, email: input.email ?? null, absent_until: input.absent_until ?? null };
  const { name, email, absent_until } = stored ?? {};
  if (stored && name === wanted.name && email === wanted.email && absent_until === wanted.absent_until)
    return { agent: stored, created: false };
  if (stored) return { agent: await store.updateAgent(trx, id, wanted, deps.now()), created: false };
  const created = await store.insertAgent(trx, id, wanted, deps.now());
  // A twin described the agent while this one looked: now there is a row to lock.
  return created ? { agent: created, created: true } : putAgent(deps, trx, id, input, ifMatch);
}
