import { type Acting, actIn, audit } from '@ops/service-kit/auditing';
import { type Db, firstRow, inTransaction, type Trx } from '@ops/service-kit/database';
import { requireHome } from '../aliases/alias-service.ts';

/** Writes down that somebody looked at what was said with a customer, before they are shown it. */
export type NoteView = (db: Db, by: Acting, customerId: string) => Promise<void>;

const hourMs = 3_600_000;
const mostRemembered = 50_000;

/** One row for a person, a customer and an hour: that they looked, and not how often. Customers look at their own. */
export function createViews(now: () => Date): NoteView {
  const seen = new Set<string>();
  let hour = 0;
  return async (db, by, customerId) => {
    if (by.actor.role === 'customer') return;
    const current = Math.floor(now().getTime() / hourMs);
    if (current !== hour || seen.size >= mostRemembered) seen.clear();
    hour = current;
    const look = `${by.actor.sub} ${customerId}`;
    if (seen.has(look)) return;
    await inTransaction(db, (trx) => writeView(trx, by, customerId, new Date(current * hourMs)));
    seen.add(look);
  };
}

/** Another process may have written it. */
async function writeView(trx: Trx, by: Acting, customerId: string, since: Date): Promise<void> {
  const home = await requireHome(trx, customerId);
  if (await wasWritten(trx, by.actor.sub, home, since)) return;
  actIn(trx, by);
  await audit(trx, { subject: { kind: 'view', id: home, customer_id: home }, before: {}, after: { viewed: true } });
}

const wasWritten = async (trx: Trx, actor: string, home: string, since: Date): Promise<boolean> =>
  (await firstRow(
    trx,
    `SELECT 1 FROM audit WHERE subject_kind = 'view' AND subject_id = :home AND at >= :since AND actor = :actor LIMIT 1`,
    { home, since, actor },
  )) !== undefined;
