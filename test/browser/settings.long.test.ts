import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import type { RefreshRun } from '@ops/contracts/resources/refresh';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { ServiceType } from '@ops/contracts/resources/service-type';
import type { Agent } from '@ops/contracts/resources/task';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { uuidv7 } from '@ops/test-kit/builders';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import { type Desk, startDesk } from './desk.ts';
import { whileItIsSaved } from './hands.ts';

let desk: Desk;
let system: Desk['system'];
let admin: ApiClient;
let asAdmin: Page;
let asStaff: Page;
const id = 'C-settings';
const phone = '+447700900333';

const inDays = (days: number) => addDays(new Date().toISOString().slice(0, 10), days);
const renew = (service_type: string, days: number) =>
  eventually(async () => {
    const { status } = await admin.post(`/ops/customers/${id}/renewals`, { service_type, due_date: inDays(days) });
    expect(status).toBe(201);
  });

beforeAll(async () => {
  // Refreshes come when a test calls for one.
  desk = await startDesk({ REFRESH_CRON: '' });
  system = desk.system;
  admin = await system.client('admin');
  await admin.put(`/ops/customers/${id}`, { name: 'Demo Settings', phones: [phone] });
  await system.simulator.person({ name: 'Demo Settings', phone });
  await Promise.all([renew('DRIVING_LICENCE', 25), renew('WORK_PERMIT', -3), renew('RESIDENCE_PERMIT', 300)]);
  asAdmin = await desk.signIn('demo-admin');
  asStaff = await desk.signIn('demo-staff');
});
afterAll(async () => {
  await desk?.stop();
});

const go = (page: Page, path: string) => page.goto(system.gatewayUrl + path);
const typeOf = async (code: string) =>
  ((await admin.get('/ops/service-types')).body as { data: ServiceType[] }).data.find((one) => one.code === code);
const templateOf = async (rung: string, channel: string, locale: string) =>
  ((await admin.get('/ops/templates')).body as { data: Template[] }).data.find(
    (one) => one.rung === rung && one.channel === channel && one.locale === locale,
  );
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true }).click();

test('an administrator describes a service type that nobody had, and is told what is wrong where it is wrong', async () => {
  await go(asAdmin, '/settings');
  await asAdmin
    .getByRole('row', { name: /DRIVING_LICENCE/ })
    .getByText('Not described yet')
    .waitFor();
  await asAdmin.getByRole('link', { name: 'DRIVING_LICENCE' }).click();
  const [label, months] = [asAdmin.getByLabel('Label'), asAdmin.getByLabel('Months of the next term')];
  await label.fill('');
  await months.fill('700');
  await save(asAdmin);
  await asAdmin.getByText('Must not be empty').waitFor();
  await asAdmin.getByText('Must be at most 600').waitFor();
  await label.fill('Driving licence');
  await asAdmin.getByLabel('In German').fill(' Führerausweis ');
  await months.fill('');
  await save(asAdmin);
  await asAdmin.getByRole('row', { name: /Driving licence .* No next one by itself/ }).waitFor();
  const labels = { de: 'Führerausweis' };
  expect(await typeOf('DRIVING_LICENCE')).toMatchObject({ label: 'Driving licence', labels, renewal_months: null });
});

test('a new service type has a code of its own', async () => {
  await asAdmin.getByRole('link', { name: 'Add a service type' }).click();
  await asAdmin.getByLabel('Code').fill('work permit');
  await asAdmin.getByLabel('Label').fill('Vehicle tax');
  await asAdmin.getByText('There is one with this code already').waitFor();
  await asAdmin.getByLabel('Code').fill('vehicle tax');
  await save(asAdmin);
  await asAdmin.getByRole('row', { name: /Vehicle tax VEHICLE_TAX 12 months/ }).waitFor();
  expect(await typeOf('WORK_PERMIT')).toMatchObject({ label: 'Work permit' });
});

test('what is thrown away comes back when that was a mistake', async () => {
  await go(asAdmin, '/settings/service-types?edit=RESIDENCE_PERMIT');
  const label = asAdmin.getByLabel('Label');
  await label.fill('Permit to stay');
  await asAdmin.getByRole('button', { name: 'Discard' }).click();
  expect(await label.inputValue()).toBe('Residence permit');
  await asAdmin.getByRole('button', { name: 'Undo' }).click();
  expect(await label.inputValue()).toBe('Permit to stay');
  await asAdmin.getByRole('button', { name: 'Discard' }).click();
});

test('who saves what somebody else changed meanwhile is told so, loses nothing, and decides', async () => {
  await go(asAdmin, '/settings/service-types?edit=WORK_PERMIT');
  const label = asAdmin.getByLabel('Label');
  await label.fill('Permit to work');
  await admin.put('/ops/service-types/WORK_PERMIT', { label: 'Working permit', renewal_months: 36 });
  await save(asAdmin);
  const told = asAdmin.getByRole('alert').filter({ hasText: 'Somebody else changed this since you began' });
  await told.getByText('Working permit, 36 months').waitFor();
  expect(await label.inputValue()).toBe('Permit to work');
  expect(await typeOf('WORK_PERMIT')).toMatchObject({ label: 'Working permit', version: 2 });

  await asAdmin.reload();
  await told.waitFor();
  expect(await label.inputValue()).toBe('Permit to work');
  await told.getByRole('button', { name: 'Save mine over it' }).click();
  await asAdmin.getByRole('row', { name: /Permit to work/ }).waitFor();
  expect(await typeOf('WORK_PERMIT')).toMatchObject({ label: 'Permit to work', renewal_months: 24, version: 3 });
});

test('a template shows what a customer would read while it is written, and refuses what is no variable', async () => {
  await go(asAdmin, '/settings/templates');
  await asAdmin.getByRole('link', { name: 'English, 30 days, SMS' }).click();
  const text = asAdmin.getByRole('textbox', { name: 'Text' });
  await text.fill('Dear {{nam}}, it is due on ');
  await asAdmin.getByText(/\{\{nam\}\} is not a variable/).waitFor();
  await asAdmin.getByText('To be seen once what is marked above is put right.').waitFor();
  await text.fill('Dear {{name}}, it is due on ');
  await text.press('End');
  await asAdmin.getByRole('button', { name: 'Insert {{due_date}}' }).click();
  const inEnglish = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
  await asAdmin.getByText(`Dear Demo Customer, it is due on ${inEnglish.format(new Date(inDays(30)))}`).waitFor();
  await save(asAdmin);
  await asAdmin.getByText('The words in English are saved.').waitFor();
  expect(await templateOf('30', 'SMS', 'en')).toMatchObject({
    body: 'Dear {{name}}, it is due on {{due_date}}',
    version: 2,
    updated_by: 'demo-admin',
  });
});

test('words for several renewals are tried on three, and written beside those for one', async () => {
  await asAdmin.getByRole('link', { name: 'English, 30 days, SMS' }).click();
  const words = asAdmin.getByRole('textbox', { name: 'Words about several renewals' });
  await words.fill('{{name}}: {{#renewals}}');
  await asAdmin.getByText('{{#renewals}} is not ended').waitFor();
  const before = await templateOf('30', 'SMS', 'en');
  const body = '{{name}}: {{#renewals}}{{service}} {{number}} in {{days}} days. {{/renewals}}Write to us.';
  await words.fill(body);
  await asAdmin
    .getByText(/^Demo Customer: .* P-1234 in 30 days\. .* in 60 days\. .* in 90 days\. Write to us\.$/)
    .waitFor();
  await save(asAdmin);
  await asAdmin.getByText('The words in English are saved.').first().waitFor();
  await eventually(async () =>
    expect(await templateOf('30', 'SMS', 'en')).toMatchObject({ body: before?.body, several: { subject: null, body } }),
  );
  await asAdmin.getByRole('button', { name: 'Save', exact: true, disabled: true }).waitFor();
  await words.fill('');
  await asAdmin.getByText('Cannot be empty: a message about several renewals needs words').waitFor();
  const refused = asAdmin.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.status() === 422);
  await Promise.all([refused, save(asAdmin)]);
  expect((await templateOf('30', 'SMS', 'en'))?.several?.body).toBe(body);
});

test('what is typed while the rest is being saved stays, and is saved next', async () => {
  const text = asAdmin.getByRole('textbox', { name: 'Text' });
  await go(asAdmin, '/settings/templates');
  await asAdmin.getByRole('link', { name: 'English, 14 days, SMS' }).click();
  await text.fill('Dear {{name}}');
  await whileItIsSaved(asAdmin, async () => {
    await save(asAdmin);
    await text.fill('Dear {{name}}, write to us');
  });
  await asAdmin.getByText('The words in English are saved.').waitFor();
  expect(await text.inputValue()).toBe('Dear {{name}}, write to us');
  await save(asAdmin);
  await eventually(async () =>
    expect(await templateOf('14', 'SMS', 'en')).toMatchObject({ body: 'Dear {{name}}, write to us', version: 3 }),
  );
});

test('so it does in what is new, which has a name by then', async () => {
  const label = asAdmin.getByLabel('Label');
  await go(asAdmin, '/settings/service-types');
  await asAdmin.getByRole('link', { name: 'Add a service type' }).click();
  await asAdmin.getByLabel('Code').fill('boat');
  await label.fill('Boat');
  await whileItIsSaved(asAdmin, async () => {
    await save(asAdmin);
    await label.fill('Boat licence');
  });
  await asAdmin.getByText('Boat is saved.').waitFor();
  await asAdmin.getByRole('complementary', { name: 'Boat', exact: true }).waitFor();
  expect(await label.inputValue()).toBe('Boat licence');
  await save(asAdmin);
  await asAdmin.getByRole('row', { name: /Boat licence/ }).waitFor();
  await asAdmin.getByRole('link', { name: 'Add a service type' }).click();
  expect(await label.inputValue()).toBe('');
});

test('of a language without words for several renewals is said in which one they are told of', async () => {
  const words = { body: '{{name}} : {{service}}, {{due_date}}' };
  await admin.put('/ops/templates/30/SMS/nl', words);
  await go(asAdmin, '/settings/templates');
  await asAdmin.getByText(/^Dutch: not all templates have words/).waitFor();
  await asAdmin.getByRole('link', { name: 'Dutch, 30 days, SMS' }).click();
  const note = asAdmin.getByText(
    'Messages about several renewals go out in English until you write words for them here.',
  );
  await note.waitFor();
  await asAdmin
    .getByRole('textbox', { name: 'Words about several renewals' })
    .fill('{{name}} : {{#renewals}}{{service}} {{/renewals}}');
  await save(asAdmin);
  await asAdmin.getByText('The words in Dutch are saved.').first().waitFor();
  await note.waitFor({ state: 'hidden' });
});

test('words in another language begin with the English ones', async () => {
  await asAdmin.getByRole('link', { name: 'Add a language, Overdue, E-mail' }).click();
  const [subject, language] = [asAdmin.getByLabel('Subject'), asAdmin.getByRole('textbox', { name: 'Language' })];
  expect(await subject.inputValue()).toBe((await templateOf('OVERDUE', 'EMAIL', 'en'))?.subject);
  await language.fill('de');
  await asAdmin.getByText('There are words in this language already').waitFor();
  await language.fill('fr-ch');
  await subject.fill('En retard : {{service}}');
  await save(asAdmin);
  await asAdmin.getByRole('link', { name: 'Swiss French, Overdue, E-mail' }).waitFor();
  expect(await templateOf('OVERDUE', 'EMAIL', 'fr-CH')).toMatchObject({ subject: 'En retard : {{service}}' });
});

test('the alert plan is changed as a whole, and a stale one is held back', async () => {
  await go(asAdmin, '/settings/alert-plan');
  await asAdmin.getByLabel('SMS at 14 days').check();
  await asAdmin.getByLabel('Task at 30 days').selectOption('NORMAL');
  await asAdmin.getByRole('button', { name: 'Move SMS up' }).click();
  await asAdmin.getByLabel('Days until step 1 after 60 days').fill('5');
  const until = asAdmin.getByLabel('Until', { exact: true });
  await until.fill('20:00');
  await save(asAdmin);
  await asAdmin.getByText(/Must differ from/).waitFor();
  await until.fill('07:30');

  const { steps, fall_through } = (await admin.get('/ops/alert-plan')).body as AlertPlan;
  await admin.put('/ops/alert-plan', { steps, fall_through, quiet_hours: null });
  await save(asAdmin);
  await asAdmin.getByText('Somebody else changed this since you began').waitFor();
  expect(await asAdmin.getByLabel('SMS at 14 days').isChecked()).toBe(true);
  await asAdmin.getByRole('button', { name: 'Save mine over it' }).click();
  await asAdmin.getByText('The alert plan is saved.').waitFor();
  expect((await admin.get('/ops/alert-plan')).body).toMatchObject({
    steps: {
      '60': { outreach: [{ after_days: 5 }, { after_days: 14 }, { after_days: 21 }] },
      '30': { task: 'NORMAL' },
      '14': { channels: ['MESSAGING_APP', 'SMS'], task: 'HIGH' },
    },
    fall_through: ['MESSAGING_APP', 'SMS', 'EMAIL'],
    quiet_hours: { from: '20:00', until: '07:30' },
  });
});

test('the calendar shows a year as it would be before it is saved, and says what is wrong where it is wrong', async () => {
  await go(asAdmin, '/settings/calendar?year=2027');
  await asAdmin.getByLabel('Country').selectOption('CH');
  await asAdmin.getByLabel('Region').selectOption('ZH');
  for (const day of ['Saturday', 'Sunday']) await asAdmin.getByLabel(day).uncheck();
  await asAdmin.getByRole('button', { name: 'Add a day' }).click();
  await asAdmin.getByLabel('Date of day 1').fill('2027-12-24');
  await asAdmin.getByLabel('Name of day 1').fill('Demo day');
  const holidays = asAdmin.getByRole('list', { name: 'Holidays' });
  await holidays.getByText('Ascension Day').waitFor();
  await holidays.getByText('Demo day').waitFor();
  await asAdmin.getByText(/^Not saved yet, in 2027: \d+ days more without work/).waitFor();
  await asAdmin.getByLabel('The whole day').uncheck();
  await asAdmin.getByLabel('Until').fill('07:00');
  await save(asAdmin);
  await asAdmin.getByText(/Must be later than/).waitFor();
  await asAdmin.getByLabel('Until').fill('17:30');
  await save(asAdmin);
  await asAdmin.getByText('The calendar is saved.').waitFor();
  expect((await admin.get('/ops/calendar')).body).toMatchObject({
    working_days: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'],
    hours: { from: '08:00', until: '17:30' },
    country: 'CH',
    region: 'ZH',
    holidays: [{ date: '2027-12-24', name: 'Demo day', closed: true }],
  });
});

test('staff read the settings, change who is away, and are offered nothing else', async () => {
  await go(asStaff, '/settings/service-types?edit=WORK_PERMIT');
  const label = asStaff.getByLabel('Label');
  await label.waitFor();
  expect(await label.getAttribute('readonly')).not.toBeNull();
  expect(await asStaff.getByText('Only administrators change this.').count()).toBeGreaterThan(0);
  const tabs = asStaff.getByRole('navigation', { name: 'Settings' }).getByRole('link');
  expect(await tabs.allTextContents()).toEqual([
    'Service types',
    'Agents',
    'Templates',
    'Replies',
    'Alert plan',
    'Calendar',
    'Your sign-ins',
  ]);
  expect(await asStaff.getByRole('button', { name: 'Save', exact: true }).count()).toBe(0);
  for (const path of ['dead-letters', 'webhooks', 'retention', 'audit']) {
    await go(asStaff, `/settings/${path}`);
    await asStaff.getByText('This part of the settings is for administrators.').waitFor();
  }

  for (const [id, name] of [
    ['demo-staff', 'Demo Staff'],
    ['demo-admin', 'Demo Admin'],
  ])
    await admin.put(`/ops/agents/${id}`, { name });
  await go(asStaff, '/settings/agents?edit=demo-staff');
  await asStaff.getByLabel('Away until').fill(inDays(5));
  await asStaff.getByLabel('Deputy').selectOption('demo-admin');
  await save(asStaff);
  await asStaff.getByText('Demo Staff is saved.').waitFor();
  const { data } = (await admin.get('/ops/agents')).body as { data: Agent[] };
  expect(data.find(({ id }) => id === 'demo-staff')).toMatchObject({ absent_until: inDays(5), deputy: 'demo-admin' });
});

test('a refresh shows by itself, with what it counted, and ends the warning that there was none', async () => {
  await go(asStaff, '/runs');
  const warning = asStaff.getByText('No refresh was completed yet.');
  await warning.waitFor();
  const run = (await (await system.client('scheduler')).post('/ops/renewals/refresh')).body as RefreshRun;
  expect(run).toMatchObject({ status: 'COMPLETED', counts: { fired: 2, became_overdue: 1 } });
  await asStaff.getByRole('cell', { name: /Completed/ }).waitFor();
  await warning.waitFor({ state: 'detached' });

  const [renewal] = ((await admin.get(`/ops/customers/${id}/renewals`)).body as { data: Renewal[] }).data;
  const renewals = system.database('renewals');
  const error = canary();
  await renewals('refresh_set_aside').insert({ run_id: run.run_id, renewal_id: renewal?.id, error });
  await asStaff.getByRole('table').getByRole('link').click();
  const drawer = asStaff.getByRole('complementary', { name: /Refresh for/ });
  await drawer.getByRole('row', { name: '30 days 1' }).waitFor();
  await drawer.getByRole('row', { name: 'Overdue 1' }).waitFor();
  await drawer.getByRole('row', { name: '90 days 0' }).waitFor();
  await drawer.getByText(error).waitFor();
  expect(new URL(asStaff.url()).searchParams.get('run')).toBe(run.run_id);
  await drawer.getByRole('link', { name: id }).click();
  await asStaff.getByRole('heading', { name: 'Demo Settings' }).waitFor();
});

test('a dead letter is given to its consumer once more', async () => {
  const event = {
    specversion: '1.0',
    id: uuidv7(),
    source: '/policies',
    type: 'policy.issued',
    time: new Date().toISOString(),
    subject: 'P-1',
    data: { customer_id: id, policy_id: 'P-1', end_date: inDays(200) },
  };
  await system
    .database('renewals')('dead_letters')
    .insert({
      id: uuidv7(),
      queue: 'renewals-service:upstream:watch',
      event_id: event.id,
      event_type: event.type,
      subject: 'P-1',
      body: JSON.stringify(event),
      attempts: 8,
      error: 'The disk was full',
    });
  await go(asAdmin, '/settings/dead-letters');
  await asAdmin.getByText('Renewals 1').click();
  const row = asAdmin.getByRole('row', { name: /policy\.issued P-1 The disk was full 8/ });
  await row.getByRole('button', { name: 'Replay' }).click();
  await asAdmin.getByText('Nothing waits here: this service took every event.').waitFor();
  await asAdmin.getByText('Replayed', { exact: true }).click();
  await row.waitFor();
  await eventually(async () =>
    expect(JSON.stringify((await admin.get(`/ops/customers/${id}/renewals`)).body)).toContain('P-1'),
  );
});

test('what a provider posted can be found, looked into and read again', async () => {
  await system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await eventually(async () => {
    const found = (await admin.get('/ops/webhook-deliveries?provider=cloud-api')).body as { data: unknown[] };
    expect(found.data.length).toBeGreaterThan(0);
  });
  await go(asAdmin, '/settings/webhooks');
  await asAdmin.getByLabel('Provider').selectOption('Postmark');
  await asAdmin.getByText('Nothing came that fits this.').waitFor();
  await asAdmin.getByLabel('Provider').selectOption('Messaging app');
  await asAdmin
    .getByRole('row', { name: /Taken in/ })
    .last()
    .getByRole('link')
    .click();
  await asAdmin.getByRole('heading', { name: 'Found in it: 1' }).waitFor();
  await asAdmin.getByRole('button', { name: 'Read it again' }).click();
  await asAdmin.getByText('Read once more: taken in.').waitFor();
});

test('who changed what is found by whom and of whom, and taken along', async () => {
  await admin.put('/ops/customers/C-audited', { name: 'Demo Audited' });
  await go(asAdmin, '/settings/audit');
  await asAdmin.getByRole('row', { name: /customer C-audited made this customer/ }).waitFor();
  await asAdmin.getByLabel('Who, by their id').fill('nobody-at-all');
  await asAdmin.keyboard.press('Enter');
  await asAdmin.getByText('Nothing was changed that fits this.').waitFor();
  await asAdmin.getByLabel('Who, by their id').fill('');
  await asAdmin.getByLabel('Customer id').fill('C-audited');
  await asAdmin.getByLabel('from this day').fill(inDays(-1));
  await asAdmin.getByLabel('to this day').fill(inDays(1));
  await asAdmin.getByRole('button', { name: 'Show' }).click();
  await asAdmin.getByRole('row', { name: /made this customer/ }).waitFor();
  expect(await asAdmin.getByRole('row').count()).toBe(2);
  const [file] = await Promise.all([
    asAdmin.waitForEvent('download'),
    asAdmin.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(file.suggestedFilename()).toBe('audit-comms-service.jsonl');
  const [line = ''] = (await text(await file.createReadStream())).split('\n');
  expect(JSON.parse(line)).toMatchObject({ action: 'putCustomer', customer_id: 'C-audited' });
});

test('who is signed in elsewhere sees it, and signs out there', async () => {
  const elsewhere = await desk.signIn('demo-admin');
  await go(asAdmin, '/settings/sign-ins');
  await asAdmin.getByRole('row', { name: /Chrome on Linux .* now, here/ }).waitFor();
  await asAdmin.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await asAdmin.getByText(/^Signed out in \d+ browsers?\.$/).waitFor();
  await eventually(async () => expect(await asAdmin.getByRole('row').count()).toBe(2));
  await elsewhere.getByText('Your sign-in has ended. What you typed is kept.').waitFor();
  await elsewhere.close();
});

test('what cannot be taken back wants a fresh sign-in, and leads to it', async () => {
  await go(asAdmin, '/settings/retention');
  await asAdmin.route('**/ops/retention', (asked) =>
    asked.request().method() === 'PUT'
      ? asked.fulfill({ status: 403, json: { code: 'sign_in_again', detail: 'Sign in again' } })
      : asked.continue(),
  );
  await asAdmin.getByLabel('E-mails').fill('4001');
  await save(asAdmin);
  await asAdmin.getByText('This cannot be taken back, so show once more who you are; then do it again.').waitFor();
  await asAdmin.unroute('**/ops/retention');
  await asAdmin.getByRole('button', { name: 'Sign in again' }).click();
  await asAdmin.locator('[value="demo-admin"]').click();
  await asAdmin.getByRole('heading', { name: 'Retention', exact: true }).waitFor();
  await asAdmin.getByLabel('E-mails').waitFor();
  // Of the refusal made up here.
  desk.forgive();
});

test('what is past its time is counted before anybody can remove it', async () => {
  await go(asAdmin, '/settings/retention');
  await asAdmin.getByRole('button', { name: 'Count what would go' }).click();
  await asAdmin.getByText('Nothing is past its time.').waitFor();
  await asAdmin.getByRole('row', { name: /Demo Admin Counted 0 Completed|demo-admin Counted 0 Completed/ }).waitFor();
  await asAdmin.getByLabel('E-mails').fill('4000');
  await save(asAdmin);
  await asAdmin.getByText('It is kept for that long from now on.').waitFor();
  expect((await admin.get('/ops/retention')).body).toMatchObject({ keep_days: { EMAIL: 4000 }, version: 2 });
});

test('what is to be kept for less long waits for another admin and a day, and can be called off', async () => {
  await asAdmin.getByLabel('SMS').fill('400');
  await save(asAdmin);
  const row = asAdmin.getByRole('row', { name: /SMS for 400 days instead of 2557/ });
  await row.getByText('A day after another admin confirms it').waitFor();
  expect(await row.getByRole('button', { name: 'Confirm' }).count()).toBe(0);
  await row.getByRole('button', { name: 'Call off' }).click();
  await asAdmin.getByText('Nothing waits to be confirmed or to take effect.').waitFor();
  const another = await system.client('admin', 'demo-second-admin');
  await another.put('/ops/retention', { keep_days: { SMS: 300 } });
  await go(asAdmin, '/settings/retention');
  const other = asAdmin.getByRole('row', { name: /SMS for 300 days instead of 2557/ });
  await other.getByRole('button', { name: 'Confirm' }).click();
  await other.getByText(/, confirmed by /).waitFor();
  await other.getByRole('button', { name: 'Call off' }).click();
  await asAdmin.getByText('Called off. Everything stays as it is.').waitFor();
  expect((await admin.get('/ops/retention')).body).toMatchObject({ keep_days: { SMS: 2557 } });
});

test('no page ran into an error or was refused a part of it', () => {
  expect(desk.failures()).toEqual([]);
});
