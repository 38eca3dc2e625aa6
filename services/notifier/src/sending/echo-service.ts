import { currentTrace, traceOf } from '@ops/bus/trace';
import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../deps.ts';
import { lockProviderIds, takeEarlyReceipts } from './receipt-service.ts';
import type { Send } from './send.rules.ts';
import { recordNews } from './send-service.ts';
import { insertSent } from './send-store.ts';

type Echoed = EventOf<'communication.echoed'>;

/** What staff sent by themselves is kept as a send that is over: what providers tell of it is heard as of any other. */
export async function followEchoes(deps: Deps, trx: Trx, echoes: readonly Echoed[]): Promise<void> {
  for (const echo of echoes) await currentTrace.run(traceOf(echo), followOne, deps, trx, echo);
}

async function followOne(deps: Deps, trx: Trx, echo: Echoed): Promise<void> {
  const { occurred_at, ...told } = echo.data;
  const send: Send = { ...told, id: uuidv7(), attempt: 1, status: 'SENT', failure: null, told: ['SENT'] };
  const times = { due_at: occurred_at, next_try_at: occurred_at, created_at: deps.now() };
  if (!(await insertSent(trx, { ...send, ...times, trace: JSON.stringify(traceOf(echo)) }))) return;
  const named = [{ ...send, provider_message_id: told.provider_message_id }];
  await lockProviderIds(trx, named);
  const early = await takeEarlyReceipts(trx, named);
  if (early.size > 0) await recordNews(deps, trx, send, early.get(send.id) ?? []);
}
