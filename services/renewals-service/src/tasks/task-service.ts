import type { EventOf } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import * as store from './task-store.ts';

/** Keeps up with the tasks about renewals: whether each is open, and whom it was given to. */
export async function followTasks(trx: Trx, changed: readonly EventOf<'task.changed'>[]): Promise<void> {
  const told = changed.flatMap(({ data: { task_id, renewal_id, assigned_agent, status, version } }) =>
    renewal_id === null ? [] : [{ task_id, renewal_id, assigned_agent, is_open: status === 'OPEN', version }],
  );
  await store.keepNewer(trx, told);
}
