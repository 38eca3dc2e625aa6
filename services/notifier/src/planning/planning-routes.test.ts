import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';
import type { Words } from './words.rules.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const plan = async () => (await service.get<AlertPlan>(staff, '/ops/alert-plan')).body;
const given = ({ steps, fall_through, quiet_hours }: AlertPlan) => ({ steps, fall_through, quiet_hours });
const ifMatch = (tag: string) => ({ 'If-Match': tag });

test('the plan as it comes: messaging app and e-mail, tasks from 14 days on, quiet nights', async () => {
  const { headers, body } = await service.get<AlertPlan>(staff, '/ops/alert-plan');
  expect(headers.get('ETag')).toBe('"1"');
  const both = ['MESSAGING_APP', 'EMAIL'];
  const outreach = [
    { after_days: 7, channels: ['EMAIL'], task: null },
    { after_days: 14, channels: ['MESSAGING_APP', 'SMS'], task: null },
    { after_days: 21, channels: [], task: 'NORMAL' },
  ];
  expect(body).toMatchObject({
    steps: {
      '90': { channels: both, task: null, outreach: [] },
      '60': { channels: both, task: null, outreach },
      '30': { channels: both, task: null },
      '14': { channels: ['MESSAGING_APP'], task: 'HIGH' },
      '7': { channels: ['MESSAGING_APP'], task: 'URGENT' },
      OVERDUE: { channels: both, task: 'URGENT' },
    },
    quiet_hours: { from: '20:00', until: '08:00' },
    version: 1,
    updated_by: null,
  });
});

test('an admin changes the plan, against the version that was read; the same again changes nothing', async () => {
  const before = await plan();
  const wanted = { ...given(before), quiet_hours: null, fall_through: ['SMS'] };
  expect((await service.put(staff, '/ops/alert-plan', wanted)).status).toBe(403);
  expect((await service.put(admin, '/ops/alert-plan', wanted, ifMatch('"99"'))).status).toBe(412);
  const put = await service.put<AlertPlan>(admin, '/ops/alert-plan', wanted, ifMatch(`"${before.version}"`));
  expect(put.body).toMatchObject({ ...wanted, version: before.version + 1, updated_by: 'chief-1' });
  expect((await service.put<AlertPlan>(admin, '/ops/alert-plan', wanted)).body).toEqual(put.body);
  expect(await plan()).toEqual(put.body);
  expect((await service.events()).filter(({ type }) => type === 'alert_plan.changed')).toMatchObject([
    { subject: 'alert_plan', data: { ...wanted, setting: 'alert_plan', version: before.version + 1 } },
  ]);
  await service.put(admin, '/ops/alert-plan', given(before));
});

test('a plan that says nothing of what follows leaves it as it is', async () => {
  const before = await plan();
  const steps = Object.entries(before.steps).map(([rung, { outreach: _, ...step }]) => [rung, step]);
  const wanted = { ...given(before), steps: Object.fromEntries(steps) };
  expect((await service.put<AlertPlan>(admin, '/ops/alert-plan', wanted)).body).toEqual(before);
});

const follows = (...outreach: object[]) => ({ channels: [], task: null, outreach });
const mail = (after_days: number) => ({ after_days, channels: ['EMAIL'] });

test.each([
  ['30', [mail(15)], []],
  ['7', [mail(7)], []],
  ['OVERDUE', [mail(7), mail(90)], []],
  ['30', [mail(3), mail(3)], ['steps.30.outreach.1.after_days']],
  ['30', [mail(16)], ['steps.30.outreach.0.after_days']],
  ['90', [mail(30)], ['steps.90.outreach.0.after_days']],
  ['30', [mail(0)], ['steps.30.outreach.0.after_days']],
  ['30', [mail(1.5)], ['steps.30.outreach.0.after_days']],
  ['30', [{ after_days: 3, channels: [] }], ['steps.30.outreach.0.channels']],
  ['30', [{ after_days: 3, channels: ['SMS', 'SMS'] }], ['steps.30.outreach.0.channels']],
  ['30', [1, 2, 3, 4, 5, 6, 7].map(mail), ['steps.30.outreach']],
])('what follows rung %s: %j is wrong in %j', async (rung, outreach, wrong) => {
  const before = given(await plan());
  const steps = { ...before.steps, [rung]: follows(...outreach) };
  const { status, body } = await service.put<Problem>(admin, '/ops/alert-plan', { ...before, steps });
  expect([status, body.errors?.map(({ path }) => path) ?? []]).toEqual([wrong.length === 0 ? 200 : 422, wrong]);
  await service.put(admin, '/ops/alert-plan', before);
});

test.each([
  ['steps.30.channels', { steps: { '30': { channels: ['EMAIL', 'EMAIL'], task: null } } }],
  ['steps.30.channels.0', { steps: { '30': { channels: ['PIGEON'], task: null } } }],
  ['steps.30', { steps: { '30': undefined } }],
  ['steps.45', { steps: { '45': { channels: [], task: null } } }],
  ['fall_through', { fall_through: ['SMS', 'SMS'] }],
  ['quiet_hours.from', { quiet_hours: { from: '24:00', until: '08:00' } }],
  ['quiet_hours.until', { quiet_hours: { from: '08:00', until: '08:00' } }],
])('a plan is refused by the name of what is wrong: %s', async (path, wrong) => {
  const right = given(await plan());
  const steps = { ...right.steps, ...('steps' in wrong ? wrong.steps : {}) };
  const { status, body } = await service.put<Problem>(admin, '/ops/alert-plan', { ...right, ...wrong, steps });
  expect([status, body.errors?.map((error) => error.path)]).toEqual([422, [path]]);
});

test('there are words for every rung and channel in English, all of which may stand', async () => {
  const { body } = await service.get<{ data: Template[] }>(staff, '/ops/templates');
  const english = body.data.filter(({ locale }) => locale === 'en').map((one) => `${one.rung} ${one.channel}`);
  const all = ['90', '60', '30', '14', '7', 'OVERDUE'].flatMap((one) =>
    ['EMAIL', 'MESSAGING_APP', 'SMS'].map((channel) => `${one} ${channel}`),
  );
  expect(english).toEqual(all);
  for (const { subject, body: words, ...key } of body.data)
    expect((await service.put(admin, pathOf(key), { subject, body: words })).status).toBe(200);
  expect((await service.get<{ data: Template[] }>(staff, '/ops/templates')).body).toEqual(body);
});

const pathOf = ({ rung: of, channel, locale }: Pick<Template, 'rung' | 'channel' | 'locale'>) =>
  `/ops/templates/${of}/${channel}/${locale}`;

test('an admin writes words in a new language, and changes them', async () => {
  const path = '/ops/templates/30/EMAIL/fr';
  const words = { subject: '{{service}}', body: 'Bonjour {{name}}' };
  expect((await service.put(staff, path, words)).status).toBe(403);
  expect((await service.put(admin, path, words, ifMatch('"1"'))).status).toBe(412);
  const created = await service.put<Template>(admin, path, words);
  expect([created.status, created.headers.get('ETag')]).toEqual([201, '"1"']);
  expect(created.body).toMatchObject({ rung: '30', channel: 'EMAIL', locale: 'fr', ...words, updated_by: 'chief-1' });
  const changed = await service.put<Template>(admin, path, { ...words, body: 'Salut {{name}}' }, ifMatch('"1"'));
  expect([changed.status, changed.body.version]).toEqual([200, 2]);
});

test('a language has one template, in whatever letter case it is asked for; what is no language has none', async () => {
  const words = { subject: null, body: 'Grüezi {{name}}' };
  const made = await service.put<Template>(admin, '/ops/templates/30/SMS/de-ch', words);
  expect([made.status, made.body.locale]).toEqual([201, 'de-CH']);
  const again = await service.put<Template>(admin, '/ops/templates/30/SMS/de-CH', { ...words, body: 'Hoi {{name}}' });
  expect([again.status, again.body.version]).toEqual([200, 2]);
  const { status, body } = await service.put<Problem>(admin, '/ops/templates/30/SMS/en-x', words);
  expect([status, body.errors?.map(({ path }) => path)]).toEqual([422, ['locale']]);
});

test('an e-mail must have a subject', async () => {
  const path = '/ops/templates/30/EMAIL/en';
  const { status, body } = await service.put<Problem>(admin, path, { body: 'Hello {{name}}' });
  expect([status, body.errors?.map((error) => error.path)]).toEqual([422, ['subject']]);
});

test('a variable that does not exist is refused by its name, in a preview as well', async () => {
  const words = { subject: 'For {{nmae}}', body: 'Hello {{name}}, {{agent}} will call' };
  for (const { status, body } of [
    await service.put<Problem>(admin, '/ops/templates/30/EMAIL/en', words),
    await service.post<Problem>(staff, '/ops/templates/30/EMAIL/en/preview', words),
  ]) {
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      {
        path: 'subject',
        message: '{{nmae}} is not a variable: there are {{name}}, {{service}}, {{due_date}}, {{days}}',
      },
      { path: 'body', message: expect.stringMatching(/^\{\{agent\}\} is not a variable/) },
    ]);
  }
});

test('a preview shows the words filled, and keeps nothing', async () => {
  const words = { subject: '{{service}}', body: '{{name}}: {{due_date}}, {{days}}' };
  const show = (locale: string, more = {}) =>
    service.post(staff, `/ops/templates/30/EMAIL/${locale}/preview`, { ...words, ...more });
  expect((await show('de', { name: 'Ada', due_date: '2026-03-31', days: 7 })).body).toEqual({
    subject: 'Residence permit',
    body: 'Ada: 31. März 2026, 7',
  });
  expect((await show('en')).body).toMatchObject({ body: 'Demo Customer: January 31, 2030, 30' });
  expect(await service.db('templates').where({ locale: 'de', body: words.body })).toEqual([]);
});

test('words for several renewals are there in both languages, are tried, written, and kept by who leaves them out', async () => {
  const { body: all } = await service.get<{ data: Template[] }>(staff, '/ops/templates');
  const installed = all.data.filter(({ locale }) => ['en', 'de'].includes(locale));
  expect(installed.filter(({ several }) => several === null)).toEqual([]);
  const renewals = [
    { service: 'Permit', due_date: '2026-03-31', days: 30 },
    { service: 'Policy', number: 'P-1', due_date: '2026-02-27', days: -2 },
  ];
  for (const { several, ...place } of installed) {
    const shown = await service.post<Words>(staff, `${pathOf(place)}/preview`, { ...several, renewals });
    expect([shown.status, shown.body.body]).toEqual([200, expect.stringMatching(/Permit: .*\n- Policy P-1: .*2\)\n/)]);
  }
  const path = '/ops/templates/30/SMS/fr';
  const several = { subject: null, body: '{{#renewals}}{{service}}, {{/renewals}}' };
  const made = await service.put<Template>(admin, path, { body: 'Salut {{name}}', several });
  expect(made.body).toMatchObject({ version: 1, several });
  expect((await service.put<Template>(admin, path, { body: 'Salut {{name}}' }, ifMatch('"1"'))).body.version).toBe(1);
  const changed = await service.put<Template>(admin, path, { body: 'Bonjour {{name}}' }, ifMatch('"1"'));
  expect(changed.body).toMatchObject({ version: 2, several });
  const wrong = { body: 'Salut', several: { body: 'Salut {{name}}' } };
  const refused = await service.put<Problem>(admin, path, wrong, ifMatch('"2"'));
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'several.body' }] } });
});
