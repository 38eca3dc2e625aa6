import { traceOf } from '@ops/bus/trace';
import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import { holdAll, ofNobodyErased } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { loggedAmong } from '../records/record-service.ts';
import { announceNew } from './announcing-service.ts';
import { plannedRecord } from './communication.rules.ts';
import { writeRecords } from './writing-service.ts';

/**
 * Planned messages that fell due, each logged once and queued: in a night there are thousands, so all of a batch take each
 * statement together. One for an unknown customer is tried again later.
 */
export async function logPlanned(
  deps: Deps,
  trx: Trx,
  planned: readonly EventOf<'communication.send'>[],
): Promise<void> {
  const wanted = await ofNobodyErased(trx, planned);
  const homes = await holdAll(
    trx,
    wanted.map(({ data }) => data.customer_id),
  );
  const logged = await loggedAmong(
    trx,
    wanted.map(({ data }) => data.send_id),
  );
  const causes = new Map(wanted.filter(({ data }) => !logged.has(data.send_id)).map((one) => [one.data.send_id, one]));
  if (causes.size === 0) return;
  const now = deps.now();
  const records = [...causes.values()].map(({ data }) => plannedRecord(data, now));
  const written = await writeRecords(trx, records, homes);
  const traces = [...causes.values()].map(traceOf);
  await announceNew(
    deps,
    trx,
    written.map((record, n) => ({ record, trace: traces[n] })),
    now,
  );
}
