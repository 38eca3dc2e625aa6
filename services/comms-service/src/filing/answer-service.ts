import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { announceChange, toldRecords } from '../records/record-service.ts';
import { tellRenewals } from '../timeline/timeline-service.ts';
import { answersTo, tieToAnswered } from './answer-store.ts';
import { attachChanges, sumUpChanges } from './change-store.ts';
import { lockKeys } from './identifier-store.ts';
import { keyOf, messageKey, type SenderIdentifier } from './matching.rules.ts';

interface NamedRecord {
  id: string;
  type: string;
  provider_message_id: string | null;
}

/**
 * Whoever takes in a reply or reaction that speaks of a record by this name holds the same lock: one of the two sees what
 * the other wrote; so with the addresses that are given to customers. Taken before any record is, as they do it, or the two
 * would wait for each other.
 */
export async function lockNames(
  trx: Trx,
  named: readonly Pick<NamedRecord, 'type' | 'provider_message_id'>[],
  addresses: readonly SenderIdentifier[],
): Promise<void> {
  const names = named.flatMap(({ type, provider_message_id: name }) => (name === null ? [] : messageKey(type, name)));
  const keys = [...names, ...addresses.map(keyOf)];
  if (keys.length > 0) await lockKeys(trx, keys);
}

/**
 * These records have just got the provider's id, and their names are locked: what came before that and speaks of them by
 * it (replies, reactions) is tied to them now.
 */
export async function resolveWaitingAnswers(deps: Deps, trx: Trx, named: readonly NamedRecord[]): Promise<void> {
  const ids = named.flatMap(({ id, provider_message_id }) => (provider_message_id === null ? [] : id));
  if (ids.length === 0) return;
  const tied = await tieToAnswered(trx, await answersTo(trx, ids));
  await tellRenewals(trx, tied);
  const answers = tied.map(({ id }) => id);
  const amended = await sumUpChanges(trx, await attachChanges(trx, [], ids));
  await announceChange(deps, trx, 'amended', deps.now(), [...(await toldRecords(trx, answers)), ...amended]);
}
