import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { AlertPlan } from '@ops/contracts/resources/alert-plan';
import { weekdays } from '@ops/contracts/resources/calendar';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Renewal, RenewalDetail } from '@ops/contracts/resources/renewal';
import type { Task } from '@ops/contracts/resources/task';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { dateIn, zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';
import { alertedDaysAgo, dayOf } from './renewal-steps.ts';

let desk: Desk;
let system: Desk['system'];
let admin: ApiClient;
/** At noon nothing turns to another day, and nobody's night keeps a message waiting. */
const time_zone = zoneWhereItIs(12);
const inDays = (days: number) => dateIn(time_zone, days);

beforeAll(async () => {
  desk = await startDesk({ REFRESH_CRON: 'off', OPS_TIME_ZONE: time_zone });
  system = desk.system;
  admin = await system.client('admin', 'demo-admin');
  await admin.put('/ops/agents/demo-staff', { name: 'Demo Staff' });
});
afterAll(() => desk?.stop());

let people = 0;

/** A customer with a phone and a mailbox, in whose name no two are alike. */
async function introduce(name: string) {
  people += 1;
  const [id, phone] = [`C-ladder-${people}`, `+4477009004${10 + people}`];
  const known = { name, phones: [phone], emails: [`ladder-${people}@example.com`], locale: 'en', time_zone };
  await system.simulator.person({ name, phone, email: `ladder-${people}@example.com` });
  await admin.put(`/ops/customers/${id}`, known);
  return { id, phone };
}

async function watch(customer: string, days: number, more: Partial<Renewal> = {}): Promise<Renewal> {
  const wanted = { service_type: 'RESIDENCE_PERMIT', due_date: inDays(days), ...more };
  return (await admin.post(`/ops/customers/${customer}/renewals`, wanted)).body as Renewal;
}

async function refresh() {
  const answer = await admin.post('/ops/renewals/refresh');
  expect([200, 202]).toContain(answer.status);
  return answer;
}
const detail = async ({ id }: Pick<Renewal, 'id'>) => (await admin.get(`/ops/renewals/${id}`)).body as RenewalDetail;
const tasksOf = async (query: string) => ((await admin.get(`/ops/tasks?${query}`)).body as { data: Task[] }).data;
const statusesOf = async (customer: string) =>
  ((await admin.get(`/ops/customers/${customer}/communications`)).body as { data: Communication[] }).data.map(
    ({ status }) => status,
  );
const drawerOf = (page: Page) => page.getByRole('complementary', { name: 'The renewal in focus' });

const tell = (type: string, data: object) =>
  admin.post('/ops/events', {
    specversion: '1.0',
    id: randomUUID(),
    source: '/registry',
    time: new Date().toISOString(),
    type,
    data,
  });

test('what follows an alert is added, changed and taken out, seen day by day before it is saved, and refused at its field', async () => {
  const page = await desk.openApart('/settings/alert-plan', 'demo-admin');
  const [at60, at30] = ['60', '30'].map((rung) => page.getByRole('region', { name: `After ${rung} days` }));
  if (!at60 || !at30) throw new Error('two rungs have two regions');
  await page.clock.setFixedTime(Date.now());
  const today = await page.evaluate(() => new Intl.DateTimeFormat('en-CA').format(new Date()));
  const on = (days: number) => dayOf(addDays(today, days));
  await at60
    .getByText(
      `An alert of ${on(0)} would be followed on ${on(7)} (e-mail), ${on(14)} (messaging app, else SMS), ${on(21)} (call).`,
    )
    .waitFor();
  await at60.getByRole('button', { name: 'Take out step 3 after 60 days' }).click();
  await at60.getByLabel('Days until step 1 after 60 days').fill('5');
  await at60
    .getByText(`An alert of ${on(0)} would be followed on ${on(5)} (e-mail), ${on(14)} (messaging app, else SMS).`)
    .waitFor();

  await at30.getByText('Nothing until the next rung.').waitFor();
  await at30.getByRole('button', { name: 'Add a step' }).press('Enter');
  await at30.getByText(`would be followed on ${on(7)} (e-mail).`).waitFor();
  await at30.getByLabel('Days until step 1 after 30 days').fill('20');
  await at30.getByLabel('E-mail in step 1 after 30 days').uncheck();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await at30.getByText('Must be less than 16: the next rung is reached then').waitFor();
  await at30.getByText('Must name a channel, unless the step gives a task').waitFor();

  await at30.getByLabel('Days until step 1 after 30 days').fill('10');
  await at30.getByLabel('SMS in step 1 after 30 days').check();
  await at30.getByLabel('Call in step 1 after 30 days').selectOption('HIGH');
  await at30.getByText(`would be followed on ${on(10)} (SMS and call).`).waitFor();
  await save.click();
  await page.getByText('The alert plan is saved.').waitFor();
  const { steps } = (await admin.get('/ops/alert-plan')).body as AlertPlan;
  expect([steps['60'].outreach, steps['30'].outreach]).toEqual([
    [
      { after_days: 5, channels: ['EMAIL'], task: null },
      { after_days: 14, channels: ['MESSAGING_APP', 'SMS'], task: null },
    ],
    [{ after_days: 10, channels: ['SMS'], task: 'HIGH' }],
  ]);

  const asStaff = await desk.open('/settings/alert-plan');
  const read = asStaff.getByRole('region', { name: 'After 30 days' });
  await read.getByText('10 days later: SMS and call').waitFor();
  expect(await read.getByRole('button').count()).toBe(0);
  await Promise.all([page.close(), asStaff.close()]);
});

test('a renewal says which steps were done, which were skipped and why, and which are to come', async () => {
  const { id, phone } = await introduce('Demo Silent');
  const renewal = await watch(id, 60);
  // renewals-service has to have heard of the plan saved above, whose steps are copied when the alert fires.
  await eventually(async () => expect(await system.eventsWaiting()).toEqual({}));
  await refresh();
  expect((await detail(renewal)).sequence?.steps).toHaveLength(2);
  const page = await desk.open(`/renewals?renewal=${renewal.id}`);
  const drawer = drawerOf(page);
  const says = (name: string, ...words: RegExp[]) => {
    const lines = drawer.getByRole('list', { name }).getByRole('listitem').filter({ hasText: /^60/ });
    return eventually(async () =>
      expect(await lines.allTextContents()).toEqual(words.map((one) => expect.stringMatching(one))),
    );
  };
  const [toCome, followed] = ['What is to come, if nobody answers', 'What followed the alert of 60 days'] as const;
  const [mail, phoneElse] = ['^60.*step 1: e-mail', '^60.*step 2: messaging app, else SMS'];
  await says(
    toCome,
    new RegExp(`${mail}to come ${dayOf(inDays(5))}`),
    new RegExp(`${phoneElse}to come ${dayOf(inDays(14))}`),
  );
  await says(followed);
  await alertedDaysAgo(system, renewal.id, 6);
  await refresh();
  await page.reload();
  await says(followed, new RegExp(`${mail}done`));
  await says(toCome, new RegExp(`${phoneElse}to come ${dayOf(inDays(8))}`));
  await drawer.getByText('E-mail: sent').first().waitFor();
  // What an answer finds unsent is withheld, and would come after the hold.
  await eventually(async () => expect(await statusesOf(id)).not.toContain('QUEUED'));

  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await says(followed, new RegExp(`${mail}done`), new RegExp(`${phoneElse}skipped: the customer answered`));
  await says(toCome);
  await drawer.getByText(/^Held: the customer answered/).waitFor();
  await page.close();
});

test('a letter names each renewal in the log, and each name leads to it', async () => {
  const { id } = await introduce('Demo Letter');
  const [permit, policy] = [
    await watch(id, 7),
    await watch(id, 30, { service_type: 'INSURANCE_POLICY', policy_id: 'P-77' }),
  ];
  await refresh();
  await eventually(async () => {
    const { data } = (await admin.get(`/ops/customers/${id}/communications`)).body as { data: Communication[] };
    expect(data).toContainEqual(expect.objectContaining({ status: 'DELIVERED', renewal_ids: [permit.id, policy.id] }));
  });
  const page = await desk.open(`/customers/${id}`);
  const letter = page.getByRole('article').filter({ hasText: 'Delivered' });
  const chips = letter.getByRole('list', { name: 'About' }).getByRole('link');
  const names = [
    `Residence permit due ${dayOf(permit.due_date)}`,
    `Insurance policy P-77 due ${dayOf(policy.due_date)}`,
  ];
  await eventually(async () => expect((await chips.allTextContents()).map((one) => one.trim())).toEqual(names));
  await chips.last().click();
  await drawerOf(page).getByRole('heading', { name: 'Insurance policy' }).waitFor();
  expect(new URL(page.url()).searchParams.get('renewal')).toBe(policy.id);
  await page.goBack();
  await chips.first().press('Enter');
  await drawerOf(page).getByRole('heading', { name: 'Residence permit' }).waitFor();
  await page.close();
});

test('what is at risk stands first, leads to the queue with its reasons, and is gone once somebody has it', async () => {
  const { id } = await introduce('Demo At Risk');
  const renewal = await watch(id, 20);
  const page = await desk.open('/');
  const card = page.getByRole('region').first();
  await card.getByRole('heading', { name: /^At risk/ }).waitFor();
  const why = 'no task is open, no message has reached the customer, nobody answered or started';
  await card.getByRole('listitem').filter({ hasText: 'Demo At Risk' }).getByText(why).waitFor();
  await card.getByRole('link', { name: 'All that is at risk' }).click();

  const rows = page.locator('tbody tr');
  const listed = () => rows.evaluateAll((all) => all.map((one) => one.getAttribute('data-renewal')));
  await eventually(async () => expect(await listed()).toEqual([renewal.id]));
  await rows.getByText('No task is open, no message has reached the customer, nobody answered or started.').waitFor();
  const button = page.getByRole('button', { name: 'At risk', exact: true });
  expect(await button.getAttribute('aria-pressed')).toBe('true');
  await button.press('Enter');
  await eventually(async () => expect(await rows.count()).toBeGreaterThan(1));
  await page
    .locator(`[data-renewal="${renewal.id}"]`)
    .getByText(/^At risk: no task is open/)
    .waitFor();
  await button.press('Enter');
  await eventually(async () => expect(await listed()).toEqual([renewal.id]));
  await rows.getByRole('link', { name: 'Residence permit of Demo At Risk' }).click();
  await drawerOf(page).getByText(`At risk: ${why}.`).waitFor();

  const task = {
    customer_id: id,
    renewal_id: renewal.id,
    title: 'Call about the permit',
    assigned_agent: 'demo-staff',
  };
  await admin.post('/ops/tasks', task);
  await page.getByText(/^Nothing is at risk here/).waitFor();
  await drawerOf(page).getByText('At risk:').waitFor({ state: 'detached' });
  await page.goto(system.gatewayUrl);
  await card.getByText('Somebody, or the customer, is at everything that is near its date.').waitFor();
  await page.close();
});

test('the rarer filters stand behind one button that says what is chosen, and the header is one line', async () => {
  const page = await desk.open('/renewals?risk=true');
  const filters = page.getByRole('button', { name: /^Filters/ });
  await filters.press('Enter');
  await page.getByRole('combobox', { name: 'Service' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).selectOption('IN_PROGRESS');
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('Nobody’s');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Filters: In progress, Nobody’s' }).and(page.locator(':focus')).waitFor();
  const narrowed = new URL(page.url());
  expect(Object.fromEntries(narrowed.searchParams)).toEqual({ status: 'IN_PROGRESS', agent: '', risk: 'true' });
  const { run_id } = (await refresh()).body as { run_id: string };
  for (const also of ['', `&run=${run_id}&rung=30`]) {
    await page.goto(narrowed + also);
    await page.getByRole('button', { name: also ? /^Alerted at 30 days/ : 'At risk' }).waitFor();
    for (const width of [1280, 1600]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await page.locator('header').first().boundingBox())?.height).toBeLessThan(60);
    }
  }
  await filters.press('Enter');
  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('button', { name: 'Filters', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'More' }).press('Enter');
  await page.getByRole('menuitem', { name: 'Who would be alerted' }).click();
  await page.getByRole('heading', { name: 'Who would be alerted' }).waitFor();
  await page.close();
});

test('a customer who becomes known is written to by the next refresh, and the renewal says so', async () => {
  const policy = { customer_id: 'C-ladder-later', policy_id: 'P-later', end_date: inDays(30) };
  const { renewal_id } = (await tell('policy.issued', policy)).body as { renewal_id: string };
  await refresh();
  const page = await desk.open(`/renewals?renewal=${renewal_id}`);
  const drawer = drawerOf(page);
  await drawer.getByText('Nobody has described this customer yet, so nobody can be written to.').waitFor();
  await drawer.getByText('HIGH', { exact: true }).waitFor();
  await drawer.getByRole('link', { name: 'Create this customer' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Demo Later');
  await page.getByLabel('E-mails').fill('later@example.com');
  await page.getByRole('button', { name: 'Create this customer' }).click();
  await page.getByRole('heading', { name: 'Demo Later' }).waitFor();
  await eventually(async () => {
    await refresh();
    expect((await detail({ id: renewal_id })).alerts.map(({ step }) => step)).toContain('customer_known');
  });
  await page.goto(`${system.gatewayUrl}/renewals?renewal=${renewal_id}`);
  await drawer.getByText('when the customer was known').waitFor();
  await drawer.getByText('E-mail: sent').waitFor();
  await page.close();
});

test('what upstream ended is cancelled with its reason, and a task to confirm it is there at once', async () => {
  const { id } = await introduce('Demo Ended');
  const ends: [issued: string, ended: string, of: object, until: string, words: string, priority: string][] = [
    ['policy.issued', 'policy.cancelled', { policy_id: 'P-9' }, 'end_date', 'policy P-9 was cancelled', 'NORMAL'],
    [
      'residence_permit.approved',
      'residence_permit.withdrawn',
      { permit_id: 'R-9' },
      'expiry_date',
      'residence permit R-9 was withdrawn',
      'URGENT',
    ],
    ['work_permit.issued', 'work_permit.ended', { permit_id: 'W-9' }, 'expiry_date', 'work permit W-9 ended', 'NORMAL'],
  ];
  const page = await desk.open(`/customers/${id}?tab=tasks`);
  for (const [issued, ended, of, until, words, priority] of ends) {
    const { renewal_id } = (await tell(issued, { customer_id: id, ...of, [until]: inDays(200) })).body as {
      renewal_id: string;
    };
    expect((await tell(ended, of)).body).toMatchObject({ outcome: 'cancelled', renewal_id });
    const task = page.getByRole('row').filter({ hasText: `Confirm with the customer: ${words}` });
    await task.getByText(priority, { exact: true }).waitFor();
    const other = await desk.open(`/renewals?renewal=${renewal_id}`);
    const sentence = words.charAt(0).toUpperCase() + words.slice(1);
    await drawerOf(other).getByText(`The policy or permit ended: ${sentence}`).waitFor();
    await other.close();
  }
  await page.goto(system.gatewayUrl);
  await page.getByRole('region', { name: 'Urgent tasks' }).getByText('residence permit R-9 was withdrawn').waitFor();
  await page.close();
});

test('a message that waits for the firm to open says when it leaves and why: in the log, at its renewal and in its task', async () => {
  const page = await desk.open(`/settings/calendar?year=${inDays(0).slice(0, 4)}`, 'demo-admin');
  await admin.put('/ops/calendar', {
    working_days: [...weekdays],
    hours: { from: '00:00', until: '24:00' },
    answer_within_hours: 8,
    holidays: [{ date: inDays(0), name: 'Demo closing', closed: true }],
  });
  await page.reload();
  await page.getByRole('list', { name: 'Holidays' }).getByText('Demo closing').waitFor();
  await page
    .getByRole('cell', { name: String(Number(inDays(0).slice(8))) })
    .and(page.locator('[data-kind="own"]'))
    .waitFor();
  await page.getByLabel('What holds on it of day 1').selectOption('We work');
  await page.getByText('1 day more with work').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();

  const { id } = await introduce('Demo Waiting');
  const renewal = await watch(id, 14);
  await refresh();
  const task = await eventually(async () => {
    const [found] = await tasksOf(`renewal_id=${renewal.id}`);
    if (!found) throw new Error('there is no task yet');
    return found;
  });
  await page.goto(`${system.gatewayUrl}/customers/${id}`);
  await page
    .getByRole('article')
    .getByText(/Leaves .+: Demo closing\./)
    .waitFor();
  await page.goto(`${system.gatewayUrl}/renewals?renewal=${renewal.id}`);
  await drawerOf(page)
    .getByText(/^Messaging app: leaves .+: Demo closing$/)
    .waitFor();
  await page.goto(`${system.gatewayUrl}/tasks?view=all&task=${task.id}`);
  await page
    .getByRole('complementary')
    .getByText(/^Messaging app: leaves .+: Demo closing$/)
    .waitFor();
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
