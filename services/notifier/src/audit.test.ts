import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { Calendar } from '@ops/contracts/resources/calendar';
import type { Task } from '@ops/contracts/resources/task';
import { uuidv7 } from '@ops/test-kit/builders';
import { cardOf } from '../test/alerts.ts';
import { admin, staff, startTestService, type TestService } from '../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  service.customers([cardOf()]);
});
afterAll(() => service.close());

/** What was written of a subject, oldest first. */
const written = (subject_kind: string, subject_id: string) =>
  service
    .db('audit')
    .join('audit_values', 'audit_id', 'id')
    .where({ subject_kind, subject_id })
    .orderBy('id')
    .select('actor', 'action', 'changes');

/** The same as staff are told it, oldest first. */
async function history(path: string) {
  const { status, body } = await service.get<Page<AuditEntry>>(staff, `${path}/history`);
  expect(status).toBe(200);
  return body.data.map(({ actor, action, changes }) => ({ actor, action, changes })).toReversed();
}

test('who changed what of a task is told, newest first', async () => {
  const { body: task } = await service.post<Task>(staff, '/ops/tasks', { customer_id: 'C-1', title: 'Call' });
  for (const wish of [{ priority: 'HIGH' }, { priority: 'HIGH' }, { status: 'DONE' }])
    await service.patch(admin, `/ops/tasks/${task.id}`, wish);
  const { body } = await service.get<Page<AuditEntry>>(staff, `/ops/tasks/${task.id}/history`);
  expect(body.data.map(({ role, action, changes }) => [role, action, changes])).toEqual([
    ['admin', 'patchTask', [{ field: 'status', old: 'OPEN', new: 'DONE' }]],
    ['admin', 'patchTask', [{ field: 'priority', old: 'NORMAL', new: 'HIGH' }]],
    ['staff', 'createTask', expect.arrayContaining([{ field: 'title', old: null, new: 'Call' }])],
  ]);
  expect((await service.get(staff, `/ops/tasks/${uuidv7()}/history`)).status).toBe(404);
});

test('a setting that is saved as it is leaves nothing, a changed one what it was', async () => {
  const {
    updated_at: _,
    updated_by: __,
    version: ___,
    ...calendar
  } = (await service.get<Calendar>(admin, '/ops/calendar')).body;
  await service.put(admin, '/ops/calendar', calendar);
  await service.put(admin, '/ops/calendar', { ...calendar, answer_within_hours: 3 });
  expect(await history('/ops/calendar')).toEqual(await written('calendar', 'calendar'));
  expect(await written('calendar', 'calendar')).toEqual([
    {
      actor: admin.sub,
      action: 'putCalendar',
      changes: [{ field: 'answer_within_hours', old: calendar.answer_within_hours, new: 3 }],
    },
  ]);

  const {
    updated_at: _a,
    updated_by: _b,
    version: _c,
    ...plan
  } = (await service.get<AlertPlan>(admin, '/ops/alert-plan')).body;
  await service.put(admin, '/ops/alert-plan', plan);
  await service.put(admin, '/ops/alert-plan', { ...plan, quiet_hours: null });
  expect(await history('/ops/alert-plan')).toEqual(await written('alert_plan', 'alert_plan'));
  expect(await written('alert_plan', 'alert_plan')).toMatchObject([
    { action: 'putAlertPlan', changes: [{ field: 'quiet_hours', old: plan.quiet_hours, new: null }] },
  ]);

  const { data } = (await service.get<{ data: Template[] }>(admin, '/ops/templates')).body;
  const { rung, channel, locale, subject, body } = data.find((one) => one.channel === 'SMS') ?? (data[0] as Template);
  for (const words of [body, `${body}!`])
    await service.put(admin, `/ops/templates/${rung}/${channel}/${locale}`, { subject, body: words });
  expect(await history(`/ops/templates/${rung}/${channel}/${locale}`)).toEqual(
    await written('template', `${rung}/${channel}/${locale}`),
  );
  expect(await written('template', `${rung}/${channel}/${locale}`)).toMatchObject([
    { action: 'putTemplate', changes: [{ field: 'body', old: body, new: `${body}!` }] },
  ]);

  for (const absent_until of [null, '2099-01-31'])
    await service.put(staff, '/ops/agents/cleo', { name: 'Cleo', absent_until });
  expect(await history('/ops/agents/cleo')).toEqual(await written('agent', 'cleo'));
  expect(await history('/ops/agents/nobody')).toEqual([]);
  expect(await written('agent', 'cleo')).toMatchObject([
    { actor: staff.sub, changes: [{ field: 'name', old: null, new: 'Cleo' }] },
    { actor: staff.sub, changes: [{ field: 'absent_until', old: null, new: '2099-01-31' }] },
  ]);
});
