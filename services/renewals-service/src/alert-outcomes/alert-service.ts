import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import { lockKeys } from '@ops/service-kit/lock-keys';
import type { Deps } from '../deps.ts';
import { awaitCustomers, holdByAnswer, keepBack, lockAnswered } from '../renewals/hold-service.ts';
import type { StoredRenewal } from '../renewals/renewal.rules.ts';
import { lastAnswers, linkedTo } from './answer-store.ts';
import { saveMessages } from './message-store.ts';
import { saveOutcomes } from './outcome-store.ts';
import { isFromCustomer, type MessageStatement, messageStatement } from './statement.rules.ts';

export { lastContacts, listAlerts, listMessages } from './detail-store.ts';

/** What alerts led to, and whether a hold, or that nobody knew the customer, kept anybody from hearing of one. */
export async function takeOutcomes(deps: Deps, trx: Trx, planned: readonly EventOf<'alert.planned'>[]): Promise<void> {
  const statements = planned.map(({ id, data }) => ({ ...data, told_id: id }));
  await saveOutcomes(trx, statements);
  await keepBack(
    deps,
    trx,
    statements.filter(({ reason }) => reason?.code === 'held'),
  );
  await awaitCustomers(
    deps,
    trx,
    statements.filter(({ channel, reason }) => channel !== 'TASK' && reason?.code === 'unknown_customer'),
  );
}

/** Messages that are about a renewal, or no longer. */
export async function takeMessages(
  deps: Deps,
  trx: Trx,
  changed: readonly EventOf<'communication.changed'>[],
): Promise<void> {
  const statements = changed.flatMap((event) => messageStatement(event) ?? []);
  const renewals = await lockConcerned(trx, statements.filter(isFromCustomer));
  const versions = new Map(renewals.map(({ id, version }) => [id, version]));
  await saveMessages(
    trx,
    statements.map((one) => ({ ...one, versions: one.renewal_ids.map((id) => versions.get(id) ?? null) })),
  );
  const answers = await lastAnswers(trx, [...versions.keys()]);
  for (const renewal of renewals) {
    const last = answers.get(renewal.id);
    await holdByAnswer(deps, trx, renewal, {
      writtenOn: last ? deps.dateAt(last.written_at) : null,
      holdingFrom: last?.holding_from ? deps.dateAt(last.holding_from) : null,
    });
  }
}

/**
 * Renewals that an answer may be about, or may have been: whoever speaks of the same answer waits, and then finds where it is
 * linked by now. Renewals are locked before any message of theirs.
 */
async function lockConcerned(trx: Trx, answers: readonly MessageStatement[]): Promise<StoredRenewal[]> {
  if (answers.length === 0) return [];
  const ids = answers.map(({ communication_id }) => communication_id);
  await lockKeys(
    trx,
    ids.map((id) => `answers:${id}`),
  );
  const named = answers.flatMap(({ renewal_ids }) => renewal_ids);
  return lockAnswered(trx, [...new Set([...named, ...(await linkedTo(trx, ids))])]);
}
