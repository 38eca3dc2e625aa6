import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { AlertPlan, Template } from '@ops/contracts/resources/alert-plan';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

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
  expect(body).toMatchObject({
    steps: {
      '90': { channels: both, task: null },
      '60': { channels: both, task: null },
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
  await service.put(admin, '/ops/alert-plan', given(before));
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
