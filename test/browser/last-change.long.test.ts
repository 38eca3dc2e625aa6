import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CsvImport } from '@ops/contracts/resources/import';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { eventually } from '@ops/test-kit/eventually';
import { bringAxe, violations } from './axe.ts';
import { type Desk, shareDesk } from './desk.ts';

let desk: Desk;
let admin: ApiClient;

beforeAll(async () => {
  desk = await shareDesk();
  admin = await desk.system.client('admin');
});
afterAll(() => desk?.stop());

/** Of settings that no other suite has: made, then changed. */
const changed = [
  {
    what: 'a service type',
    path: '/ops/service-types/LAST_CHANGED',
    bodies: ['Fishing permit', 'Angling permit'].map((label) => ({ label, renewal_months: 12 })),
    page: '/settings/service-types?edit=LAST_CHANGED',
    told: ['made it', 'label Angling permit, before Fishing permit'],
  },
  {
    what: 'an agent',
    path: '/ops/agents/last-changed',
    bodies: ['Lea Changed', 'Lea Other'].map((name) => ({ name })),
    page: '/settings/agents?edit=last-changed',
    told: ['made it', 'name Lea Other, before Lea Changed'],
  },
  {
    what: 'a template',
    path: '/ops/templates/7/SMS/eo',
    bodies: ['Saluton {{name}}', 'Bonan tagon {{name}}'].map((body) => ({ body })),
    page: '/settings/templates?edit=7-SMS-eo',
    told: ['wrote it', 'text Bonan tagon {{name}}, before Saluton {{name}}'],
  },
];

test.each(changed)('of $what staff read who changed it last and when, and what was changed before', async (one) => {
  for (const body of one.bodies) expect((await admin.put(one.path, body)).status).toBeLessThan(300);
  const page = await desk.open(one.page);
  const last = page.locator('details').filter({ hasText: /^Changed .* by / });
  await last.locator('summary').focus();
  await page.keyboard.press('Enter');
  for (const words of one.told) await last.getByText(words).waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test('the calendar, the alert plan and retention say when they were changed', async () => {
  const page = await desk.open('/settings/calendar', 'demo-admin');
  for (const part of ['calendar', 'alert-plan', 'retention']) {
    await page.goto(`${desk.system.gatewayUrl}/settings/${part}`);
    await page
      .getByText(/^Changed /)
      .first()
      .waitFor();
  }
  await page.close();
});

test('of a file is told who sent it and who took its rows along', async () => {
  const staff = await desk.system.client('staff');
  const file = Buffer.from('customer_id,name\nC-last-changed,Demo Changed\n');
  const { id } = (await staff.post('/ops/imports/customers?name=spring.csv', file)).body as CsvImport;
  await eventually(async () =>
    expect((await staff.get(`/ops/imports/customers/${id}`)).body).toMatchObject({ status: 'CHECKED' }),
  );
  const page = await desk.open(`/import/customers?import=${id}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the rows' }).click(),
  ]);
  await download.path();
  await page.getByText('Who sent it, had it taken in or took its rows along').click();
  const told = page.getByRole('region', { name: 'Who changed what' }).getByRole('listitem');
  await told.first().getByText('took its rows along as a file').waitFor();
  await told.last().getByText('sent the file').waitFor();
  await page.close();
});
