import { execute, type Trx } from '@ops/service-kit/database';

/** A task about a renewal as notifier last told of it. */
interface FollowedTask {
  task_id: string;
  renewal_id: string;
  assigned_agent: string | null;
  is_open: boolean;
  version: number;
}

/** One query however many, in the order of their ids, so that two consumers do not wait for each other. */
export async function keepNewer(trx: Trx, told: readonly FollowedTask[]): Promise<void> {
  await execute(
    trx,
    `INSERT INTO followed_tasks AS f (task_id, renewal_id, assigned_agent, is_open, version)
     SELECT DISTINCT ON (t.task_id) t.task_id, t.renewal_id, t.assigned_agent, t.is_open, t.version
     FROM jsonb_to_recordset(CAST(:told AS jsonb)) AS t (
       task_id uuid, renewal_id uuid, assigned_agent text, is_open boolean, version integer)
     ORDER BY t.task_id, t.version DESC
     ON CONFLICT (task_id) DO UPDATE
        SET assigned_agent = excluded.assigned_agent, is_open = excluded.is_open, version = excluded.version
      WHERE f.version < excluded.version`,
    { told: JSON.stringify(told) },
  );
}
