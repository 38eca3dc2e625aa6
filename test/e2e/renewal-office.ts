import { expect } from '@jest/globals';
import type { Communication } from '@ops/contracts/resources/communication';
import type { RefreshRun } from '@ops/contracts/resources/refresh';
import type { Alert, Renewal, RenewalDetail } from '@ops/contracts/resources/renewal';
import type { Task } from '@ops/contracts/resources/task';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import { type System, type SystemOptions, startSystem } from '@ops/test-system/system';

export type Client = Awaited<ReturnType<System['client']>>;
type List<T> = { data: T[] };

/** Nobody's quiet hours hold at noon, everybody's at midnight. */
const office = zoneWhereItIs(12);
export const asleep = zoneWhereItIs(0);
export const inDays = (days: number) => dateIn(office, days);

export interface Known {
  id: string;
  phone: string;
  email: string;
}

/** A firm whose customers have phones and mailboxes, and whose nights begin when they are called for. */
export function officeOn(bus: SystemOptions['bus']) {
  let system: System;
  let staff: Client;
  let scheduler: Client;
  let people = 0;

  async function open(more: Pick<SystemOptions, 'amqpUrl'> = {}) {
    system = await startSystem({ bus, env: { OPS_TIME_ZONE: office, REFRESH_CRON: 'off' }, ...more });
    [staff, scheduler] = [await system.client('staff'), await system.client('scheduler')];
    return { system, staff };
  }

  /** A customer with a phone and a mailbox; the name is in everything a machine writes to them. */
  async function introduce(more: object = {}): Promise<Known> {
    people += 1;
    const [id, phone, email] = [`C-renewals-${people}`, `+4477009003${10 + people}`, `renewals-${people}@example.com`];
    const name = canary();
    await system.simulator.person({ name, phone, email });
    await staff.put(`/ops/customers/${id}`, { name, phones: [phone], emails: [email], ...more });
    return { id, phone, email };
  }

  async function watch({ id }: Known, days: number, more: object = {}): Promise<Renewal> {
    const wanted = { service_type: 'RESIDENCE_PERMIT', due_date: inDays(days), ...more };
    const made = await staff.post(`/ops/customers/${id}/renewals`, wanted);
    expect(made.status).toBe(201);
    return made.body as Renewal;
  }

  /** As a cron job calls it: no body, nothing said of one. */
  async function refresh(): Promise<RefreshRun> {
    const { status, body } = await scheduler.post('/ops/renewals/refresh');
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'COMPLETED', as_of: inDays(0) } });
    return body as RefreshRun;
  }

  const list = async <T>(path: string) => ((await staff.get(path)).body as List<T>).data;
  const detail = async ({ id }: Pick<Renewal, 'id'>) => (await staff.get(`/ops/renewals/${id}`)).body as RenewalDetail;
  const log = ({ id }: Known) => list<Communication>(`/ops/customers/${id}/communications`);
  const timeline = ({ id }: Known) => list<TimelineEvent>(`/ops/customers/${id}/timeline`);
  const tasks = ({ id }: Pick<Renewal, 'id'>) => list<Task>(`/ops/tasks?renewal_id=${id}`);

  /** What this person finds from the firm, once it is as many messages. */
  const arrived = ({ phone }: Known, number: number) =>
    eventually(async () => {
      const found = (await system.simulator.messages(phone)).filter(({ from_firm }) => from_firm);
      expect(found).toHaveLength(number);
      return found;
    });

  /** The renewal's one alert that fired, once it shows these outcomes. */
  const alerted = (renewal: Renewal, outcomes: object[]) =>
    eventually(async () => {
      const fired = (await detail(renewal)).alerts.filter(({ state }) => state === 'FIRED');
      expect(fired).toEqual([
        expect.objectContaining({ outcomes: outcomes.map((one) => expect.objectContaining(one)) }),
      ]);
      return fired[0] as Alert;
    });

  /** Time goes by: every date that is kept of this renewal comes so many days nearer. */
  async function daysPass({ id }: Renewal, days: number): Promise<void> {
    await system.database('renewals').raw(
      `WITH ledger AS (UPDATE alerts SET due_date = due_date - CAST(:days AS int) WHERE renewal_id = :id),
            outcomes AS (UPDATE alert_outcomes SET due_date = due_date - CAST(:days AS int) WHERE renewal_id = :id)
       UPDATE renewals
       SET due_date = due_date - CAST(:days AS int), next_alert_on = next_alert_on - CAST(:days AS int), answered_until = answered_until - CAST(:days AS int),
           sequence = sequence || jsonb_build_object('due_date', CAST(sequence ->> 'due_date' AS date) - CAST(:days AS int),
                                                     'began_on', CAST(sequence ->> 'began_on' AS date) - CAST(:days AS int))
       WHERE id = :id`,
      { id, days },
    );
    const notifier = system.database('notifier');
    await notifier.raw('UPDATE followed_renewals SET due_date = due_date - CAST(:days AS int) WHERE renewal_id = :id', {
      id,
      days,
    });
    await notifier.raw('UPDATE alert_actions SET due_date = due_date - CAST(:days AS int) WHERE renewal_id = :id', {
      id,
      days,
    });
  }

  /** What the world outside still has to tell becomes events, so it is asked for first. */
  const nothingMoves = () =>
    eventually(
      async () => {
        expect(await system.simulator.webhooksWaiting()).toBe(0);
        expect(await system.eventsWaiting()).toEqual({});
      },
      { everyMs: 100 },
    );

  /** They ask by the messaging app for silence there, and are heard. */
  async function stopMessagingApp({ id, phone }: Known): Promise<void> {
    await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: 'STOP' });
    await eventually(async () => {
      const { body } = await staff.get(`/ops/customers/${id}`);
      expect(body).toMatchObject({ opted_out: ['MESSAGING_APP'] });
    });
  }

  return {
    open,
    system: () => system,
    introduce,
    watch,
    refresh,
    daysPass,
    list,
    detail,
    log,
    timeline,
    tasks,
    arrived,
    alerted,
    nothingMoves,
    stopMessagingApp,
  };
}

export type Office = ReturnType<typeof officeOn>;
