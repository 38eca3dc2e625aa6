import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Envelope } from '@ops/contracts/envelope';
import type { Renewal, RenewalDetail, Rung } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { alerted, at, inDays } from '../../test/renewals.ts';
import { admin, automation, staff, startTestService, type TestService } from '../../test/service.ts';
import { type Changed, changed, type Planned, planned } from '../../test/statements-told.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(() => service.empty());

const minute = (n: number) => `2026-03-02T12:${String(n).padStart(2, '0')}:00.000Z`;

async function fired(...rungs: Rung[]): Promise<Renewal> {
  const renewal = await at(service).create({ due_date: inDays(service, 60) });
  await alerted(service, renewal, rungs);
  return renewal;
}

const about = ({ id: renewal_id, due_date }: Renewal, rung: Rung) => ({ renewal_id, due_date, rung });

const show = async ({ id }: Renewal) => (await service.get<RenewalDetail>(staff, `/ops/renewals/${id}`)).body;

/** All of it was taken, by every queue it goes to. */
async function publish(...events: Envelope[]): Promise<void> {
  await service.bus.publish(events.map((event) => ({ event })));
  const ids = [...new Set(events.map(({ id }) => id))];
  await eventually(async () => expect(await service.db('inbox').whereIn('event_id', ids)).toHaveLength(ids.length));
}

test('a renewal shows its alerts, newest first, with what each led to, its delivery and the reply it got', async () => {
  const renewal = await fired('90', '60');
  const [mail, reply, second] = [uuidv7(), uuidv7(), uuidv7()];
  const reason = { code: 'opted_out', message: 'The customer asked for no automated messages on this channel' };
  const { id: renewal_id } = renewal;
  const task_id = uuidv7();
  const answer = { renewal_id, direction: 'INBOUND', status: 'RECEIVED', in_reply_to: mail } as const;
  await publish(
    planned({ ...about(renewal, '60'), channel: 'MESSAGING_APP', outcome: 'not_sent', reason }, minute(1)),
    planned({ ...about(renewal, '60'), communication_id: mail, instead_of: 'MESSAGING_APP' }, minute(1)),
    planned({ ...about(renewal, '90'), channel: 'TASK', task_id }, minute(1)),
    changed({ communication_id: mail, renewal_id }, minute(2)),
    changed({ communication_id: mail, renewal_id, change: 'status', status: 'DELIVERED' }, minute(3)),
    changed({ ...answer, communication_id: reply, written_at: minute(4) }, minute(4)),
    changed({ ...answer, communication_id: second, written_at: minute(6) }, minute(6)),
  );
  const { body, headers } = await service.get<RenewalDetail>(staff, `/ops/renewals/${renewal.id}`);
  expect(headers.get('etag')).toBe(`"${body.version}"`);
  expect(body).toMatchObject({ id: renewal.id, status: 'UPCOMING' });
  expect(body.alerts.map(({ rung, state }) => [rung, state])).toEqual([
    ['60', 'FIRED'],
    ['90', 'FIRED'],
  ]);
  const none = { instead_of: null, reason: null, communication_id: null, task_id: null, status: null };
  const waits = { send_after: null, send_after_reason: null };
  const others = { ...waits, reply_id: null, occurred_at: '2026-03-02T12:01:00.000000Z' };
  expect(body.alerts.map(({ outcomes }) => outcomes)).toEqual([
    [
      { channel: 'MESSAGING_APP', outcome: 'not_sent', ...none, ...others, reason },
      {
        channel: 'EMAIL',
        outcome: 'planned',
        ...none,
        ...others,
        instead_of: 'MESSAGING_APP',
        communication_id: mail,
        status: 'DELIVERED',
        reply_id: reply,
      },
    ],
    [{ channel: 'TASK', outcome: 'planned', ...none, ...others, task_id }],
  ]);
  expect(
    body.messages.map(({ communication_id, status, occurred_at }) => [communication_id, status, occurred_at]),
  ).toEqual([
    [second, 'RECEIVED', '2026-03-02T12:06:00.000000Z'],
    [reply, 'RECEIVED', '2026-03-02T12:04:00.000000Z'],
    [mail, 'DELIVERED', '2026-03-02T08:00:00.000000Z'],
  ]);
});

const hour = (n: number) => `2026-03-02T${String(n).padStart(2, '0')}:00:00.000Z`;

/** The message of this rung's alert, recorded at this hour. */
function messaged(renewal: Renewal, rung: Rung, written: number, { send_after, ...more }: AlertMessage = {}) {
  const communication_id = uuidv7();
  const [channel, written_at] = ['MESSAGING_APP', hour(written)] as const;
  const message = { communication_id, type: channel, renewal_id: renewal.id, status: 'SENT', written_at } as const;
  const outcome = { ...about(renewal, rung), channel, communication_id, send_after: send_after ?? null };
  return { communication_id, events: [planned(outcome, minute(1)), changed({ ...message, ...more }, minute(2))] };
}

type AlertMessage = Partial<Pick<Changed, 'status'> & Pick<Planned, 'send_after'>>;

/** The customer's words about this renewal at this hour. */
function answered({ id: renewal_id }: Renewal, written: number | string, more: Partial<Changed> = {}) {
  const communication_id = uuidv7();
  const written_at = typeof written === 'string' ? written : hour(written);
  const said = { direction: 'INBOUND', type: 'MESSAGING_APP', status: 'RECEIVED', written_at } as const;
  return { communication_id, event: changed({ communication_id, renewal_id, ...said, ...more }, minute(9)) };
}

/** Of each rung, what is shown as the answer to its message. */
const replies = async (renewal: Renewal) =>
  Object.fromEntries((await show(renewal)).alerts.map(({ rung, outcomes }) => [rung, outcomes[0]?.reply_id]));

test('a reply that names nothing is shown with the alert that had left last; one that names another, with that', async () => {
  const renewal = await fired('90', '60', '30', '14');
  const first = messaged(renewal, '90', 2, { send_after: hour(8) });
  const second = messaged(renewal, '60', 10);
  const third = messaged(renewal, '30', 14, { status: 'UNCERTAIN' });
  const waiting = messaged(renewal, '14', 15, { send_after: hour(20), status: 'QUEUED' });
  const [early, late] = [answered(renewal, 7), answered(renewal, 13)];
  const named = answered(renewal, 18, { in_reply_to: second.communication_id });
  const between = answered(renewal, 12);
  const byMail = answered(renewal, 9, { type: 'EMAIL' });
  const lastly = answered(renewal, '2026-03-02T13:59:30.000Z');
  const alerts = [first, second, third, waiting].flatMap(({ events }) => events);
  await publish(...alerts, ...[early, byMail].map(({ event }) => event));
  expect(await replies(renewal)).toEqual({ '90': null, '60': null, '30': null, '14': null });
  await publish(late.event, between.event, lastly.event);
  expect(await replies(renewal)).toMatchObject({ '60': between.communication_id, '30': lastly.communication_id });
  await publish(named.event);
  expect(await replies(renewal)).toEqual({
    '90': null,
    '60': named.communication_id,
    '30': lastly.communication_id,
    '14': null,
  });
});

test('a message that never left has no such reply, and takes it from no other', async () => {
  const renewal = await fired('90', '60', '30');
  const sent = messaged(renewal, '90', 8);
  const stopped = messaged(renewal, '60', 9, { status: 'CANCELLED' });
  const failed = messaged(renewal, '30', 10, { status: 'FAILED' });
  const reply = answered(renewal, 11);
  await publish(...[sent, stopped, failed].flatMap(({ events }) => events), reply.event);
  expect(await replies(renewal)).toEqual({ '90': reply.communication_id, '60': null, '30': null });
});

test('of two messages that left at one moment one has the reply', async () => {
  const renewal = await fired('90', '60');
  const both = [messaged(renewal, '90', 8), messaged(renewal, '60', 8)];
  const reply = answered(renewal, 9);
  await publish(...both.flatMap(({ events }) => events), reply.event);
  expect(Object.values(await replies(renewal)).filter((id) => id !== null)).toEqual([reply.communication_id]);
});

test('one with nothing yet shows nothing; one that is not there is not found; machines do not read it', async () => {
  const renewal = await at(service).create();
  expect(await show(renewal)).toMatchObject({ alerts: [], messages: [] });
  expect(await service.get(staff, `/ops/renewals/${uuidv7()}`)).toMatchObject({ status: 404 });
  expect(await service.get(automation, `/ops/renewals/${renewal.id}`)).toMatchObject({ status: 403 });
});

test('the newest word about an outcome stays, in either order, in one batch, told again and told at once', async () => {
  const renewal = await fired('60');
  const reason = { code: 'renewal_completed', message: 'The renewal was completed' };
  const said = { ...about(renewal, '60'), communication_id: uuidv7() };
  const first = planned(said, minute(1));
  const last = planned({ ...said, outcome: 'cancelled', reason }, minute(2));
  const outcomes = async () => (await show(renewal)).alerts[0]?.outcomes;
  const isCancelled = [expect.objectContaining({ outcome: 'cancelled', reason })];
  await publish(last);
  await publish(first, last);
  expect(await outcomes()).toEqual(isCancelled);
  await service.db('alert_outcomes').delete();
  await service.db('inbox').delete();
  await Promise.all([publish(first), publish(last), publish(last, first)]);
  expect(await outcomes()).toEqual(isCancelled);
});

test('an outcome of an alert that never was is a dead letter, and counts once that is mended', async () => {
  const renewal = await at(service).create({ due_date: inDays(service, 60) });
  const word = planned({ ...about(renewal, '60'), channel: 'TASK', task_id: uuidv7() }, minute(1));
  const letter = { id: uuidv7(), queue: 'renewals-service:alert:outcome', event_id: word.id, event_type: word.type };
  const kept = { ...letter, subject: 'C-1', body: JSON.stringify(word), attempts: 8, error: 'violates foreign key' };
  await service.db('dead_letters').insert(kept);
  await alerted(service, renewal, ['60']);
  const path = `/ops/services/renewals-service/dead-letters/${letter.id}/replay`;
  expect(await service.post(admin, path)).toMatchObject({ status: 202 });
  await eventually(async () => expect((await show(renewal)).alerts[0]?.outcomes).toHaveLength(1));
});
