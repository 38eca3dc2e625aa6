import { type EventData, type EventOf, type EventType, events } from '@ops/contracts/events';
import { uuidv7 } from '@ops/test-kit/builders';

/** An event of another service, as the broker brings it. */
function told<T extends EventType>(type: T, data: EventData<T>, time: string): EventOf<T> {
  const { publisher } = events[type];
  return { specversion: '1.0', id: uuidv7(), source: publisher, type, subject: 'C-1', time, data };
}

export type Changed = EventData<'communication.changed'>;

/** What comms-service tells of a message; an alert of ours unless it says otherwise. */
export const changed = (said: Partial<Changed> & Pick<Changed, 'communication_id' | 'renewal_id'>, time: string) =>
  told(
    'communication.changed',
    {
      customer_id: 'C-1',
      occurred_at: time,
      change: 'created',
      type: 'EMAIL',
      direction: 'OUTBOUND',
      status: 'QUEUED',
      in_reply_to: null,
      written_at: '2026-03-02T08:00:00.000000Z',
      renewal_ids: [],
      automatic: false,
      ...said,
    },
    time,
  );

export type Planned = EventData<'alert.planned'>;

/** What the notifier tells of an alert; a planned e-mail unless it says otherwise. */
export const planned = (said: Partial<Planned> & Pick<Planned, 'renewal_id' | 'due_date' | 'rung'>, at: string) =>
  told(
    'alert.planned',
    {
      customer_id: 'C-1',
      occurred_at: at,
      channel: 'EMAIL',
      outcome: 'planned',
      instead_of: null,
      reason: null,
      communication_id: null,
      task_id: null,
      send_after: null,
      send_after_reason: null,
      step: '0',
      ...said,
    },
    at,
  );

type TaskTold = EventData<'task.changed'>;

/** What the notifier tells of a task; an open one of nobody's, in its first version, unless it says otherwise. */
export const taskTold = (said: Partial<TaskTold> & Pick<TaskTold, 'task_id' | 'renewal_id'>) =>
  told(
    'task.changed',
    {
      customer_id: 'C-1',
      priority: 'HIGH',
      status: 'OPEN',
      due_date: null,
      rung: null,
      assigned_agent: null,
      created_by: null,
      closed_because: null,
      closed_at: null,
      version: 1,
      occurred_at: '2026-03-02T12:00:00Z',
      ...said,
    },
    '2026-03-02T12:00:00Z',
  );
