import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Foreseen, RefreshPreview } from '@ops/contracts/resources/refresh';
import type { Alert, CompletedRenewal, ComplianceFlag, QueuedRenewal, Renewal } from '@ops/contracts/resources/renewal';
import type { Task } from '@ops/contracts/resources/task';
import type { ServiceName } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { readMetrics } from '@ops/test-kit/metrics';
import type { System, SystemOptions } from '@ops/test-system/system';
import { outreachBegins } from './outreach.ts';
import { asleep, type Client, inDays, officeOn } from './renewal-office.ts';

export const anExpiryDateIsWatched = (bus: SystemOptions['bus']) =>
  describe(`an expiry date is watched, ${bus} bus`, () => {
    let system: System;
    let staff: Client;
    const office = officeOn(bus);
    const {
      introduce,
      watch,
      refresh,
      list,
      detail,
      log,
      timeline,
      tasks,
      arrived,
      alerted,
      nothingMoves,
      stopMessagingApp,
    } = office;

    beforeAll(async () => {
      ({ system, staff } = await office.open());
    });
    afterAll(() => system?.stop());

    test('what upstream systems issue is watched from then on, once, whether its customer is known or not', async () => {
      const automation = await system.client('automation');
      const issued = (id: string, customer_id: string, end_date: string) => ({
        specversion: '1.0',
        id,
        source: '/policies',
        type: 'policy.issued',
        time: new Date().toISOString(),
        data: { customer_id, policy_id: `P-${customer_id}`, end_date },
      });
      const known = await introduce();
      for (const customer of [known.id, 'C-renewals-unheard-of']) {
        const first = issued(`${customer}-1`, customer, inDays(200));
        const made = await automation.post('/ops/events', first);
        expect(made).toMatchObject({ status: 202, body: { outcome: 'created' } });
        const id = (made.body as { renewal_id: string }).renewal_id;
        expect((await automation.post('/ops/events', first)).body).toMatchObject({ renewal_id: id });
        const moved = await automation.post('/ops/events', issued(`${customer}-2`, customer, inDays(230)));
        expect(moved.body).toMatchObject({ outcome: 'moved', renewal_id: id });
        expect(await list<Renewal>(`/ops/customers/${customer}/renewals`)).toEqual([
          expect.objectContaining({
            id,
            service_type: 'INSURANCE_POLICY',
            status: 'UPCOMING',
            policy_id: `P-${customer}`,
            due_date: inDays(230),
            days_until_due: 230,
          }),
        ]);
      }
    });

    test('an alert arrives on the phone and in the mailbox, is in the log, and is answered', async () => {
      const customer = await introduce();
      const live = await system.stream('staff');
      const renewal = await watch(customer, 60);
      expect((await refresh()).counts).toMatchObject({ fired: 1, superseded: 1, by_rung: { '60': 1 } });

      const found = await arrived(customer, 2);
      expect(found.map(({ channel }) => channel).toSorted()).toEqual(['EMAIL', 'MESSAGING_APP']);
      for (const { text } of found) expect(text).toContain('days left: 60');
      const alert = await alerted(renewal, [
        { channel: 'MESSAGING_APP', outcome: 'planned', status: 'DELIVERED', send_after: null, reply_id: null },
        { channel: 'EMAIL', outcome: 'planned', status: 'SENT', send_after: null, reply_id: null },
      ]);
      expect(alert).toMatchObject({ rung: '60', days_until_due: 60, due_date: inDays(60) });
      const [byApp, byMail] = alert.outcomes.map(({ communication_id }) => communication_id);
      const records = await log(customer);
      expect(records.map(({ id }) => id).toSorted()).toEqual([byApp, byMail].toSorted());
      for (const record of records) expect(record).toMatchObject({ renewal_id: renewal.id, direction: 'OUTBOUND' });
      expect((await tasks(renewal)).length).toBe(0);

      const onPhone = found.find(({ channel }) => channel === 'MESSAGING_APP');
      const answer = { channel: 'MESSAGING_APP', text: canary(), reply_to: onPhone?.id as string } as const;
      await system.simulator.write(customer.phone, answer);
      const answered = await alerted(renewal, [{ reply_id: expect.any(String) }, { reply_id: null }]);
      const reply = (await log(customer)).find(({ body }) => body === answer.text);
      const linked = { in_reply_to: byApp, renewal_id: renewal.id, direction: 'INBOUND', unread: true };
      expect(reply).toMatchObject({ id: answered.outcomes[0]?.reply_id, ...linked });
      // By mail, and naming nothing: the only alert on that channel is what it is about, and what it answers.
      const plain = { channel: 'EMAIL', text: canary() } as const;
      await system.simulator.write(customer.phone, plain);
      const replied = { reply_id: expect.any(String) };
      const [, answeredByMail] = (await alerted(renewal, [replied, replied])).outcomes;
      const replyByMail = (await log(customer)).find(({ body }) => body === plain.text);
      expect(replyByMail).toMatchObject({ id: answeredByMail?.reply_id, in_reply_to: null, renewal_id: renewal.id });
      const { messages, hold } = await detail(renewal);
      expect(hold).toEqual({ because: 'answered', until: inDays(14) });
      expect(messages.map(({ type, direction }) => `${type} ${direction}`).toSorted()).toEqual([
        'EMAIL INBOUND',
        'EMAIL OUTBOUND',
        'MESSAGING_APP INBOUND',
        'MESSAGING_APP OUTBOUND',
      ]);

      await eventually(async () => {
        const lines = (await timeline(customer)).filter(({ type }) => type === 'RENEWAL_TRIGGERED');
        expect(lines).toMatchObject([{ data: { renewal_id: renewal.id, rung: '60', days_until_due: 60 } }]);
        const heard = live.events.filter(({ type }) => ['RENEWAL_TRIGGERED', 'alert.planned'].includes(type));
        expect(heard.map(({ type }) => type).toSorted()).toEqual([
          'RENEWAL_TRIGGERED',
          'alert.planned',
          'alert.planned',
        ]);
      });
      live.close();
    });

    test('while somebody is at it the customer is not written to, not even by what waits; then once', async () => {
      const [customer, sleeper] = [await introduce(), await introduce({ time_zone: asleep })];
      const [renewal, waiting] = [await watch(customer, 60), await watch(sleeper, 60)];
      await staff.patch(`/ops/renewals/${renewal.id}/start`);
      await refresh();
      const held = { outcome: 'not_sent', reason: expect.objectContaining({ code: 'held' }) };
      await alerted(renewal, [held, held]);
      await alerted(waiting, [{ status: 'QUEUED' }, { status: 'QUEUED' }]);
      const until = inDays(20);
      const acknowledged = await staff.patch(`/ops/renewals/${waiting.id}/acknowledge`, { until });
      expect(acknowledged.body).toMatchObject({ hold: { because: 'acknowledged', until } });
      const stopped = { ...held, outcome: 'cancelled', status: 'CANCELLED' };
      await alerted(waiting, [stopped, stopped]);

      await nothingMoves();
      expect((await refresh()).counts).toMatchObject({ fired: 0 });
      await staff.patch(`/ops/renewals/${renewal.id}/release`);
      await refresh();
      await refresh();
      await arrived(customer, 2);
      await nothingMoves();
      await arrived(customer, 2);
      const { alerts } = await detail(renewal);
      expect(alerts.map(({ rung, step, state }) => [rung, step, state])).toEqual([
        ['60', 'after_hold', 'FIRED'],
        ['60', '0', 'FIRED'],
        ['90', '0', 'SUPERSEDED'],
      ]);
      expect((await detail(waiting)).alerts.filter(({ state }) => state === 'FIRED')).toHaveLength(1);
      const lines = (await timeline(customer)).filter(({ type }) => type === 'RENEWAL_TRIGGERED');
      expect(lines).toHaveLength(1);
    });
    const describeAgent = (id: string, more: object = {}) => staff.put(`/ops/agents/${id}`, { name: id, ...more });

    test('two weeks before, its agent has a task; closer to it, the same one is urgent', async () => {
      for (const id of ['agent-of-customer', 'agent-of-renewal']) await describeAgent(id);
      const customer = await introduce({ assigned_agent: 'agent-of-customer' });
      const renewal = await watch(customer, 14, { assigned_agent: 'agent-of-renewal' });
      await refresh();
      await alerted(renewal, [
        { channel: 'MESSAGING_APP', outcome: 'planned', status: 'DELIVERED' },
        { channel: 'TASK', outcome: 'planned', task_id: expect.any(String) },
      ]);
      const [task, ...others] = await tasks(renewal);
      const forAgent = { status: 'OPEN', customer_id: customer.id, assigned_agent: 'agent-of-renewal' };
      expect(others).toEqual([]);
      expect(task).toMatchObject({ ...forAgent, priority: 'HIGH', rung: '14', due_date: inDays(14) });

      const moved = await staff.patch(`/ops/renewals/${renewal.id}`, { due_date: inDays(7) });
      expect(moved.status).toBe(200);
      await refresh();
      await eventually(async () =>
        expect(await tasks(renewal)).toMatchObject([{ ...forAgent, id: task?.id, priority: 'URGENT', rung: '7' }]),
      );
      await arrived(customer, 2);
    });

    test('whose a customer is, what is due for it and what is to be done about it is one answer, also while they are away', async () => {
      for (const id of ['ada', 'bob', 'cleo']) await describeAgent(id);
      const customer = await introduce({ assigned_agent: 'ada' });
      const renewal = await watch(customer, 14);
      await refresh();
      const theirs = async (agent: string) => {
        const queue = await list<QueuedRenewal>(`/ops/renewals?assigned_agent=${agent}`);
        const open = await list<Task>(`/ops/tasks?status=OPEN&assigned_agent=${agent}`);
        return {
          renewals: queue.filter(({ id }) => id === renewal.id).map((one) => one.responsible_agent),
          tasks: open.filter(({ renewal_id }) => renewal_id === renewal.id).map((one) => one.responsible_agent),
        };
      };
      const [nothing, all] = [
        { renewals: [], tasks: [] },
        (agent: string | null) => ({ renewals: [agent], tasks: [agent] }),
      ];
      await eventually(async () => expect(await theirs('ada')).toEqual(all('ada')));
      const { name } = (await staff.get(`/ops/customers/${customer.id}`)).body as { name: string };
      await staff.put(`/ops/customers/${customer.id}`, { name, phones: [customer.phone], assigned_agent: 'bob' });
      await eventually(async () => expect(await theirs('bob')).toEqual(all('bob')));
      expect(await theirs('ada')).toEqual(nothing);
      await describeAgent('bob', { absent_until: inDays(30), deputy: 'cleo' });
      await eventually(async () => expect(await theirs('cleo')).toEqual(all('cleo')));
      await describeAgent('bob', { absent_until: inDays(30) });
      await eventually(async () => expect(await theirs('')).toEqual(all(null)));
      await describeAgent('bob', { absent_until: inDays(-1) });
      await eventually(async () => expect(await theirs('bob')).toEqual(all('bob')));
      const ghost = await staff.patch(`/ops/renewals/${renewal.id}`, { assigned_agent: 'ghost' });
      expect(ghost).toMatchObject({ status: 422, body: { errors: [{ path: 'assigned_agent' }] } });
    });

    test('what is past due is overdue: first in the queue, flagged, urgent for somebody', async () => {
      const customer = await introduce();
      const renewal = await watch(customer, -3);
      const run = await refresh();
      expect(run.counts).toMatchObject({ became_overdue: 1, fired: 1, superseded: 5 });
      const [first] = await list<QueuedRenewal>('/ops/renewals?window=30');
      expect(first).toMatchObject({ id: renewal.id, status: 'OVERDUE', days_until_due: -3, customer_id: customer.id });
      const open = { state: 'open', renewal_id: renewal.id, due_date: inDays(-3) };
      const flags = () => list<ComplianceFlag>(`/ops/customers/${customer.id}/compliance-flags`);
      expect(await flags()).toEqual([expect.objectContaining(open)]);
      await arrived(customer, 2);
      await alerted(renewal, [{ channel: 'MESSAGING_APP' }, { channel: 'EMAIL' }, { channel: 'TASK' }]);
      expect(await tasks(renewal)).toMatchObject([{ status: 'OPEN', priority: 'URGENT', assigned_agent: null }]);

      await staff.patch(`/ops/renewals/${renewal.id}`, { due_date: inDays(40) });
      expect(await flags()).toMatchObject([{ state: 'cleared', cleared_because: 'date_changed' }]);
      expect(await detail(renewal)).toMatchObject({ status: 'UPCOMING', days_until_due: 40 });
      await eventually(async () => expect(await tasks(renewal)).toMatchObject([{ status: 'CANCELLED' }]));
    });

    test('at night it is written and waits; completed meanwhile, it never leaves, and the next term is watched', async () => {
      const customer = await introduce({ time_zone: asleep });
      const renewal = await watch(customer, 7);
      await refresh();
      const waiting = { outcome: 'planned', status: 'QUEUED', send_after: expect.any(String) };
      await alerted(renewal, [
        { channel: 'MESSAGING_APP', ...waiting },
        { channel: 'TASK', outcome: 'planned' },
      ]);
      const [record] = await log(customer);
      expect(Date.parse(record?.send_after ?? '')).toBeGreaterThan(Date.now());
      expect(await tasks(renewal)).toMatchObject([{ status: 'OPEN', priority: 'URGENT' }]);

      const done = await staff.patch(`/ops/renewals/${renewal.id}/complete`);
      expect(done.status).toBe(200);
      const { renewal: completed, next_renewal: next } = done.body as CompletedRenewal;
      expect(completed).toMatchObject({
        id: renewal.id,
        status: 'COMPLETED',
        days_until_due: null,
        successor_id: next?.id,
      });
      expect(next).toMatchObject({ status: 'UPCOMING', predecessor_id: renewal.id, customer_id: customer.id });
      expect(next?.due_date.slice(0, 4)).toBe(String(Number(renewal.due_date.slice(0, 4)) + 2));
      expect((await staff.patch(`/ops/renewals/${renewal.id}/complete`)).body).toEqual(done.body);

      await eventually(async () => expect(await tasks(renewal)).toMatchObject([{ status: 'DONE' }]));
      await alerted(renewal, [{ outcome: 'cancelled', status: 'CANCELLED' }, { channel: 'TASK' }]);
      expect(await log(customer)).toMatchObject([{ id: record?.id, status: 'CANCELLED' }]);
      await nothingMoves();
      await arrived(customer, 0);
      const lines = (await timeline(customer)).map(({ type, data }) => ({ type, renewal_id: data.renewal_id }));
      expect(lines).toEqual(
        ['RENEWAL_COMPLETED', 'RENEWAL_TRIGGERED'].map((type) => ({ type, renewal_id: renewal.id })),
      );
    });

    test('who asked for silence on one channel is written to on another', async () => {
      const customer = await introduce({ emails: [] });
      await stopMessagingApp(customer);
      const renewal = await watch(customer, 30);
      await refresh();
      const unsent = [
        { channel: 'MESSAGING_APP', outcome: 'not_sent', reason: expect.objectContaining({ code: 'opted_out' }) },
        { channel: 'EMAIL', outcome: 'not_sent', reason: expect.objectContaining({ code: 'no_recipient' }) },
      ];
      const bySms = { channel: 'SMS', outcome: 'planned', instead_of: 'MESSAGING_APP', status: 'DELIVERED' };
      await alerted(renewal, [...unsent, { ...bySms, reply_id: null }]);
      expect(await arrived(customer, 1)).toMatchObject([{ channel: 'SMS' }]);
      await system.simulator.write(customer.phone, { channel: 'SMS', text: canary() });
      await alerted(renewal, [...unsent, { ...bySms, reply_id: expect.any(String) }]);
    });

    test('a number that no provider takes: a task says so, and what was overtaken is not sent again', async () => {
      const customer = await introduce({ emails: [] });
      await system.simulator.faults({ refused: { [customer.phone]: 131026 } });
      const renewal = await watch(customer, 30);
      await refresh();
      const alert = await alerted(renewal, [
        { channel: 'MESSAGING_APP', outcome: 'planned', status: 'FAILED' },
        { channel: 'EMAIL', outcome: 'not_sent', reason: expect.objectContaining({ code: 'no_recipient' }) },
        { channel: 'SMS', outcome: 'planned', instead_of: 'EMAIL', status: 'FAILED' },
        { channel: 'TASK', outcome: 'planned', reason: expect.objectContaining({ code: 'nobody_reached' }) },
      ]);
      const notes = expect.stringMatching(/Messaging app: failed.*E-mail: .*no address.*SMS: failed/);
      expect(await tasks(renewal)).toMatchObject([{ priority: 'HIGH', status: 'OPEN', rung: '30', notes }]);

      await system.simulator.faults();
      const retry = () => staff.post(`/ops/communications/${alert.outcomes[0]?.communication_id}/retry`);
      await staff.patch(`/ops/renewals/${renewal.id}`, { due_date: inDays(14) });
      expect(await retry()).toMatchObject({ status: 409, body: { code: 'overtaken' } });
      await refresh();
      await arrived(customer, 1);
      const newest_alert = { rung: '14', due_date: inDays(14), days_until_due: 14 };
      expect(await retry()).toMatchObject({ status: 409, body: { code: 'overtaken', newest_alert } });
      await nothingMoves();
      await arrived(customer, 1);
    });

    test('a dry run tells what the run then does; a second run does nothing', async () => {
      const customer = await introduce();
      const days = [95, 90, 89, 45, 30, 10, 3, 0, -1, -400];
      const renewals = await Promise.all(days.map((day) => watch(customer, day)));
      const foreseen = await foresee();
      expect(
        foreseen
          .filter(({ customer_id }) => customer_id === customer.id)
          .map(fires)
          .toSorted(),
      ).toEqual(['14', '30', '60', '7', '7', '90', '90', 'OVERDUE', 'OVERDUE', 'nothing']);
      const run = await refresh();
      expect(run.counts).toEqual({
        looked_at: foreseen.filter(({ because }) => because === 'reached').length,
        fired: foreseen.filter((one) => one.fires).length,
        outreach: foreseen.filter((one) => one.goes).length,
        superseded: foreseen.flatMap(({ superseded }) => superseded).length,
        became_overdue: foreseen.filter(({ becomes_overdue }) => becomes_overdue).length,
        set_aside: 0,
        by_rung: { '7': 2, '14': 1, '30': 1, '60': 1, '90': 2, OVERDUE: 2 },
      });
      for (const renewal of renewals) {
        const { alerts, status } = await detail(renewal);
        const told = foreseen.find(({ renewal_id }) => renewal_id === renewal.id) as Foreseen;
        expect(rungsOf(alerts, 'FIRED')).toEqual(told.fires ? [told.fires] : []);
        expect(rungsOf(alerts, 'SUPERSEDED')).toEqual(told.superseded.toSorted());
        expect(status).toBe(told.becomes_overdue ? 'OVERDUE' : 'UPCOMING');
      }

      const letters = await arrived(customer, 2);
      expect(letters.map(({ channel }) => channel).toSorted()).toEqual(['EMAIL', 'MESSAGING_APP']);
      for (const { text } of letters) expect(text.match(/\(days (left|past): \d+\)/g)).toHaveLength(9);
      const { data: log } = (await staff.get(`/ops/customers/${customer.id}/communications`))
        .body as Page<Communication>;
      for (const { renewal_ids } of log) expect(renewal_ids).toHaveLength(9);
      await nothingMoves();
      const before = [(await system.simulator.journal()).length, await list<Task>('/ops/tasks?limit=200')];
      expect((await refresh()).counts).toMatchObject({ looked_at: 0, fired: 0, superseded: 0, became_overdue: 0 });
      await nothingMoves();
      expect([(await system.simulator.journal()).length, await list<Task>('/ops/tasks?limit=200')]).toEqual(before);
    });

    outreachBegins(office);

    test('an operator sees of each process what was refreshed, sent and kept waiting', async () => {
      const look = (name: ServiceName) => readMetrics(system.metricsUrl(name));
      const [renewals, notifier] = [await look('renewals-service'), await look('notifier')];
      const [comms, ingest] = [await look('comms-service'), await look('webhook-ingest')];
      expect(renewals('renewals_refresh_completed_timestamp_seconds')).toBeGreaterThan(Date.now() / 1000 - 3600);
      expect(renewals('renewals_refresh_unfinished_seconds')).toBe(0);
      expect(renewals('renewals_refresh_set_aside')).toBe(0);
      expect(renewals('renewals_refresh_runs_total', { status: 'COMPLETED' })).toBeGreaterThan(0);
      expect(renewals('renewals_alerts_fired_total', { rung: '14' })).toBeGreaterThan(0);
      const sent = { provider: 'cloud-api', outcome: 'accepted' };
      expect(notifier('provider_send_duration_seconds_count', sent)).toBeGreaterThan(0);
      expect(notifier('sending_waiting_messages', { channel: 'MESSAGING_APP' })).toBe(0);
      expect(notifier('sending_oldest_seconds', { channel: 'EMAIL' })).toBe(0);
      expect(notifier('tasks_open')).toBeGreaterThan(0);
      expect(comms('communications_not_sent', { status: 'UNCERTAIN' })).toBe(0);
      expect(comms('unmatched_waiting_messages')).toBe(0);
      expect(comms('attachments_to_fetch')).toBe(0);
      const timeline = { queue: 'comms-service:renewal:timeline', outcome: 'done' };
      expect(comms('bus_messages_total', timeline)).toBeGreaterThan(0);
      expect(ingest('webhook_deliveries_not_understood')).toBe(0);
    });

    async function foresee(): Promise<Foreseen[]> {
      const answer = await staff.post('/ops/renewals/refresh?dry_run=true&limit=200');
      const preview = answer.body as RefreshPreview;
      expect(preview).toMatchObject({ dry_run: true, as_of: inDays(0), next_cursor: null });
      expect(preview.would_fire).toBe(preview.data.filter((one) => one.fires).length);
      return preview.data;
    }
  });

const fires = (one: Foreseen) => one.fires ?? 'nothing';
const rungsOf = (alerts: readonly Alert[], state: Alert['state']) =>
  alerts
    .filter((alert) => alert.state === state)
    .map(({ rung }) => rung)
    .toSorted();
