import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { ServiceAuditEntry } from '@ops/contracts/resources/audit';
import { type RouteName, type RouteSpec, routes, serviceNames } from '@ops/contracts/routes';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-system/system';

/** What changes nothing that is there, and why. */
const unaudited: Partial<Record<RouteName, string>> = {
  createCommunication: 'its author is on it',
  createNote: 'its author is on it',
  markCommunicationsRead: 'reading changes nothing that is said',
  markCommunicationsUnread: 'reading changes nothing that is said',
  uploadAttachment: 'a file is nothing until a message names it',
  retryAttachment: 'the same file is fetched once more',
  previewTemplate: 'a preview changes nothing',
  previewCalendar: 'a preview changes nothing',
  endMySession: 'whoever comes with a token has no browser to sign out; the gateway’s own tests have some',
  endMyOtherSessions: 'the same',
  runRefresh: 'its run says who asked for it',
  postUpstreamEvent: 'a system outside tells what is so; what follows is done by nobody here',
};

const who = 'demo-walker';
let system: System;
let admin: ApiClient;
let second: ApiClient;

beforeAll(async () => {
  system = await startSystem({ bus: 'postgres', env: { REFRESH_CRON: '' } });
  [admin, second] = [await system.client('admin', who), await system.client('admin', 'demo-second')];
});
afterAll(() => system?.stop());

/** Succeeds, or says how it did not. */
async function ask<T = { id: string }>(method: string, path: string, body?: unknown, by = admin): Promise<T> {
  const answer = await by.request(method, path, body === undefined ? {} : { body });
  expect({ path, status: answer.status, body: answer.status < 300 ? undefined : answer.body }).toEqual({
    path,
    status: expect.any(Number),
    body: undefined,
  });
  return answer.body as T;
}
const post = <T = { id: string }>(path: string, body?: unknown) => ask<T>('POST', path, body);
const put = (path: string, body: unknown) => ask('PUT', path, body);
const patch = (path: string, body?: unknown) => ask('PATCH', path, body);
const first = async <T = { id: string }>(path: string): Promise<T> =>
  eventually(async () => {
    const [one] = (await ask<Page<T>>('GET', path)).data;
    if (!one) throw new Error(`nothing at ${path} yet`);
    return one;
  });

/** Of messages. */
const words = canary();
const customer = 'C-walk';
const phone = '+447700900811';
const ofCustomer = `/ops/customers/${customer}`;
const inFuture = () => new Date(Date.now() + 5 * 86_400_000).toISOString();
const renew = (due_date: string) => post(`${ofCustomer}/renewals`, { service_type: 'WORK_PERMIT', due_date });
const queued = () =>
  post(`${ofCustomer}/communications`, { type: 'SMS', direction: 'OUTBOUND', body: words, send_after: inFuture() });

async function inState(status: 'FAILED' | 'UNCERTAIN'): Promise<string> {
  const { id } = await queued();
  const failure = { code: 'demo', message: 'Demo' };
  await system.database('comms')('communications').where({ id }).update({ status, failure, send_after: null });
  return id;
}

async function customers(): Promise<void> {
  await put(ofCustomer, { name: 'Demo Walk', phones: [phone] });
  await post('/ops/customers', { name: 'Demo Other' });
  await put('/ops/customers/C-other', { name: 'Demo Other' });
  await patch(ofCustomer, { name: 'Demo Walker' });
  await put('/ops/agents/demo-gone', { name: 'Demo Gone' });
  await put('/ops/agents/demo-here', { name: 'Demo Here' });
  await post('/ops/customers/assign', { customer_ids: [customer], assigned_agent: 'demo-gone' });
  await post('/ops/customers/hand-over', { from: 'demo-gone', assigned_agent: 'demo-here' });
  const optOut = { kind: 'phone', value: phone, channel: 'SMS', opted_out: true, reason: 'said so' };
  await put(`${ofCustomer}/opt-outs`, optOut);
  await put(`${ofCustomer}/opt-outs`, { ...optOut, opted_out: false });
  await put('/ops/customers/demo-erased', { name: 'Demo Erased' });
  const erasing = await post('/ops/customers/demo-erased/erase');
  await post(`/ops/proposals/${erasing.id}/call-off`);
  await post(`${ofCustomer}/export`);
  await put(`${ofCustomer}/legal-hold`, { on: true, reason: 'said so' });
  await put(`${ofCustomer}/legal-hold`, { on: false, reason: 'settled' });
  await system.simulator.person({ phone });
  await system.simulator.write(phone, { channel: 'SMS', text: words });
  await first(`${ofCustomer}/communications`);
  const { up_to } = await eventually(() => first<{ up_to: string }>('/ops/attention?state=waiting'));
  await patch(`${ofCustomer}/attention`, { state: 'done', up_to });
  await put('/ops/customers/C-twin', { name: 'Demo Twin' });
  await post('/ops/customers/C-twin/merge', { into: customer });
  await post('/ops/customers/C-twin/unmerge');
}

async function messages(): Promise<void> {
  const note = await post(`${ofCustomer}/notes`, { body: words });
  await post(`/ops/communications/${note.id}/move`, { customer_id: 'C-other' });
  await post(`/ops/communications/${note.id}/strike`);
  const { id } = await queued();
  await patch(`/ops/communications/${id}`, { body: `${words} again` });
  await post(`/ops/communications/${id}/cancel`);
  await post(`/ops/communications/${await inState('FAILED')}/settle`, { note: 'by phone' });
  await post(`/ops/communications/${await inState('UNCERTAIN')}/resolve`, { outcome: 'sent' });
  await post(`/ops/communications/${await inState('FAILED')}/retry`);
  await put('/ops/canned-replies?scope=shared', { replies: [{ title: 'Demo', body: 'text' }] });
  const stranger = '+447700900812';
  await system.simulator.person({ phone: stranger });
  await system.simulator.write(stranger, { channel: 'SMS', text: words });
  const unmatched = await first('/ops/unmatched');
  await post(`/ops/unmatched/${unmatched.id}/dismiss`);
  await post(`/ops/unmatched/${unmatched.id}/restore`);
  await post(`/ops/unmatched/${unmatched.id}/link`, { customer_id: customer });
  await post(`/ops/unmatched/${unmatched.id}/unlink`);
}

async function renewals(): Promise<void> {
  const [one, other] = [await renew('2031-01-31'), await renew('2031-02-28')];
  const of = `/ops/renewals/${one.id}`;
  await post('/ops/renewals/assign', { renewal_ids: [one.id], assigned_agent: 'demo-gone' });
  await post('/ops/renewals/hand-over', { from: 'demo-gone', assigned_agent: 'demo-here' });
  await patch(of, { notes: 'text' });
  await patch(`${of}/start`);
  await patch(`${of}/acknowledge`, { until: inFuture().slice(0, 10) });
  await patch(`${of}/release`);
  await patch(`${of}/complete`, { create_next: false });
  await patch(`/ops/renewals/${other.id}/cancel`, { reason: 'duplicate' });
  await patch(`/ops/renewals/${other.id}/reopen`);
  await put('/ops/service-types/DEMO_PERMIT', { label: 'Demo permit', renewal_months: 12 });
  const task = await post('/ops/tasks', { customer_id: customer, title: 'text' });
  await patch(`/ops/tasks/${task.id}`, { title: 'other text' });
  await post('/ops/tasks/due-date', { task_ids: [task.id], due_date: '2031-01-31' });
  await post('/ops/tasks/assign', { task_ids: [task.id], assigned_agent: 'demo-gone' });
  await post('/ops/tasks/hand-over', { from: 'demo-gone', assigned_agent: 'demo-here' });
}

async function settings(): Promise<void> {
  const plan = await ask<Record<string, unknown>>('GET', '/ops/alert-plan');
  const { version: _, updated_at: __, updated_by: ___, ...kept } = plan;
  await put('/ops/alert-plan', { ...kept, fall_through: ['EMAIL', 'SMS'] });
  await put('/ops/calendar', {
    working_days: ['MONDAY'],
    hours: { from: '00:00', until: '24:00' },
    country: null,
    region: null,
    holidays: [],
    answer_within_hours: 7,
  });
  await put('/ops/templates/30/SMS/eo', { subject: null, body: 'Saluton {{name}}' });
  await put('/ops/retention', { keep_days: { EMAIL: 9_000 } });
  await put('/ops/retention', { keep_days: { EMAIL: 2_557 } });
  const proposal = await first('/ops/proposals');
  await ask('POST', `/ops/proposals/${proposal.id}/confirm`, undefined, second);
  await post(`/ops/proposals/${proposal.id}/call-off`);
  await ask('PUT', '/ops/retention', { keep_days: { SMS: 9_000 } }, second);
  await ask('PUT', '/ops/retention', { keep_days: { SMS: 2_557 } }, second);
  await post(`/ops/proposals/${(await first('/ops/proposals')).id}/confirm`);
  await post('/ops/retention/runs');
}

async function files(): Promise<void> {
  for (const [what, text] of [
    ['customers', 'customer_id,name\nC-filed,Demo Filed\n'],
    ['renewals', `customer_id,service_type,due_date\n${customer},WORK_PERMIT,2032-01-31\n`],
  ] as const) {
    const { id } = await ask('POST', `/ops/imports/${what}?name=demo.csv`, Buffer.from(text));
    await eventually(async () =>
      expect(await ask('GET', `/ops/imports/${what}/${id}`)).toMatchObject({ status: 'CHECKED' }),
    );
    await post(`/ops/imports/${what}/${id}/apply`);
  }
}

async function whatWasGivenUp(): Promise<void> {
  const delivery = await first('/ops/webhook-deliveries');
  await post(`/ops/webhook-deliveries/${delivery.id}/reprocess`);
  const event = {
    specversion: '1.0',
    id: uuidv7(),
    source: '/policies',
    type: 'policy.issued',
    time: new Date().toISOString(),
    subject: 'P-walk',
    data: { customer_id: customer, policy_id: 'P-walk', end_date: '2031-05-31' },
  };
  const [kept, given] = [
    { event_id: event.id, event_type: event.type, subject: 'P-walk', body: JSON.stringify(event) },
    uuidv7(),
  ];
  const why = { queue: 'renewals-service:upstream:watch', attempts: 8, error: 'The disk was full' };
  await system
    .database('renewals')('dead_letters')
    .insert({ id: given, ...kept, ...why });
  await post(`/ops/services/renewals-service/dead-letters/${given}/replay`);
}

test('whoever changes something that is there stands in the audit, by whichever route, or a reason says why not', async () => {
  for (const part of [customers, messages, renewals, settings, files, whatWasGivenUp]) await part();
  const actions = new Set<string>();
  const written: string[] = [];
  for (const name of serviceNames) {
    const { data } = await ask<Page<ServiceAuditEntry>>('GET', `/ops/services/${name}/audit?actor=${who}&limit=200`);
    for (const { action, changes } of data) actions.add(action) && written.push(JSON.stringify(changes));
  }
  const changing = (Object.entries(routes) as [RouteName, RouteSpec][])
    .filter(([name, { method }]) => method !== 'GET' && !unaudited[name])
    .map(([name]) => name);
  expect(changing.filter((name) => !actions.has(name))).toEqual([]);
  expect(written.filter((one) => one.includes(words))).toEqual([]);
});
