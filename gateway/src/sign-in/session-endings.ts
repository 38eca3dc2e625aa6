import type { Actor } from '@ops/contracts/roles';
import { type Acting, actIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction } from '@ops/service-kit/database';
import { endOthers, endSession } from './session-store.ts';

type ByPerson = Acting & { actor: Actor };

const ending = (id: string) => ({ subject: { kind: 'session' as const, id }, before: {}, after: { signed_out: true } });

/** One of their own; undefined: they never had it. */
export const endAsAsked = (db: Db, acting: ByPerson, id: string): Promise<{ now: boolean } | undefined> =>
  inTransaction(db, async (trx) => {
    actIn(trx, acting);
    const found = await endSession(trx, acting.actor, id);
    if (found?.now) await audit(trx, ending(id));
    return found;
  });

export const endAllBut = (db: Db, acting: ByPerson, but: string | undefined): Promise<string[]> =>
  inTransaction(db, async (trx) => {
    actIn(trx, acting);
    const ended = await endOthers(trx, acting.actor, but);
    await audit(trx, ...ended.map(ending));
    return ended;
  });
