import type { Trx } from '@ops/service-kit/database';
import { announceChange } from '../communications/announce.ts';
import { lockKeys } from '../customers/identifier-store.ts';
import type { Deps } from '../deps.ts';
import { tellRenewals } from '../timeline/timeline-store.ts';
import { findFiled } from '../unmatched/linking-store.ts';
import { answersTo, tieToAnswered } from './answer-store.ts';
import { attachChanges, sumUpChanges } from './change-store.ts';
import { messageKey } from './inbound.ts';

interface NamedRecord {
  id: string;
  type: string;
  provider_message_id: string | null;
}

/**
 * These records have just got the provider's id: what came before that and speaks of them by it (replies, reactions)
 * is tied to them now.
 */
export async function resolveWaitingAnswers(deps: Deps, trx: Trx, named: readonly NamedRecord[]): Promise<void> {
  const known = named.flatMap(({ id, type, provider_message_id: name }) => (name === null ? [] : { id, type, name }));
  if (known.length === 0) return;
  // Whoever takes in such a reply or reaction holds the same lock: one of the two sees what the other wrote.
  await lockKeys(
    trx,
    known.map(({ type, name }) => messageKey(type, name)),
  );
  const ids = known.map(({ id }) => id);
  const tied = await tieToAnswered(trx, await answersTo(trx, ids));
  await tellRenewals(trx, tied);
  const answers = tied.map(({ id }) => id);
  const amended = await sumUpChanges(trx, await attachChanges(trx, [], ids));
  await announceChange(deps, trx, 'amended', deps.now(), [...(await findFiled(trx, answers)), ...amended]);
}
