import { endedInWords } from '@ops/contracts/ended-in-words';
import type { UpstreamEventOutcome } from '@ops/contracts/resources/upstream-event';
import type { Trx } from '@ops/service-kit/database';
import type { Deps } from '../deps.ts';
import { isClosed, type StoredRenewal } from '../renewals/renewal.rules.ts';
import { cancelRenewal } from '../renewals/renewal-service.ts';
import { lockRenewals } from '../renewals/watch-service.ts';
import type { Ending } from './expiry-reader.ts';
import * as store from './statement-store.ts';

/**
 * A policy or permit is over before its time: what stands for it is not to be renewed. What merely follows or names it goes
 * on, since a date too many is better than one too few; of each of them somebody is told, who asks the customer.
 */
export async function takeEnding(
  deps: Deps,
  trx: Trx,
  ending: Ending,
): Promise<Pick<UpstreamEventOutcome, 'outcome' | 'renewal_id'>> {
  await store.lockSource(trx, ending);
  const statement = await store.findStatement(trx, ending);
  const renewal_id = statement?.renewal_id ?? null;
  if ((statement && !statement.is_older) || (await store.isOvertaken(trx, ending)))
    return { outcome: 'ignored', renewal_id };
  await store.saveEnding(trx, ending);
  const concerned = await lockRenewals(trx, await store.findConcerned(trx, ending));
  const open = concerned.filter(({ status }) => !isClosed(status));
  const own = open.filter((renewal) => standsFor(renewal, ending));
  for (const { id } of own) await cancelRenewal(deps, trx, id, { reason: 'upstream', note: noteOf(ending) }, undefined);
  for (const renewal of open) await tell(deps, trx, renewal, ending);
  return own[0] ? { outcome: 'cancelled', renewal_id: own[0].id } : { outcome: 'unchanged', renewal_id };
}

const standsFor = ({ source_kind, source_id }: StoredRenewal, ending: Ending): boolean =>
  source_kind === ending.kind && source_id === ending.source_id;

function noteOf({ kind, source_id: id }: Ending): string {
  const words = endedInWords({ kind, id });
  return words.charAt(0).toUpperCase() + words.slice(1);
}

async function tell(deps: Deps, trx: Trx, renewal: StoredRenewal, ending: Ending): Promise<void> {
  const { id: renewal_id, customer_id, written_under, service_type, due_date, assigned_agent } = renewal;
  const source = { kind: ending.kind, id: ending.source_id };
  const about = { customer_id, written_under, renewal_id, service_type, due_date, assigned_agent, source };
  const service_label = await store.labelOf(trx, service_type);
  const occurred_at = deps.now().toISOString();
  const cancelled = standsFor(renewal, ending);
  await deps.outbox.add(trx, {
    type: 'renewal.source_ended',
    data: { ...about, service_label, cancelled, occurred_at },
  });
}
