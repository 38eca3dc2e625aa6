import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { eventually } from '@ops/test-kit/eventually';
import { type Desk, shareDesk } from './desk.ts';
import { dayOf, inDays, watchFor } from './renewal-steps.ts';

let desk: Desk;
let system: Desk['system'];
const id = 'C-dates';
const watch = watchFor(() => desk, id);

beforeAll(async () => {
  desk = await shareDesk();
  system = desk.system;
  const staff = await system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: 'Demo Dates', phones: ['+447700900332'] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
});
afterAll(() => desk?.stop());

test('what one typed of a new date is there again after Escape and after a reload, for nobody else, and until it is made', async () => {
  const page = await desk.open('/renewals?create=true');
  const drawer = page.getByRole('complementary', { name: 'A date to be watched' });
  const customer = drawer.getByRole('combobox', { name: /Customer/ });
  const [due, notes] = [drawer.getByLabel('Due date'), drawer.getByLabel('Notes')];
  await customer.fill('Demo Dat');
  await page.getByRole('option', { name: /Demo Dates/ }).click();
  await drawer.getByRole('combobox', { name: 'Service', exact: true }).selectOption('INSURANCE_POLICY');
  await due.fill(inDays(300));
  await notes.fill('ask for the policy');
  await notes.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await eventually(async () => expect(await customer.inputValue()).toBe('Demo Dates'));
  expect([await due.inputValue(), await notes.inputValue()]).toEqual([inDays(300), 'ask for the policy']);

  // The next person at the same browser.
  const colleague = await page.context().newPage();
  await colleague.route('**/ops/me', async (asked) => {
    const answer = await asked.fetch();
    await asked.fulfill({ response: answer, json: { ...(await answer.json()), sub: 'demo-admin' } });
  });
  await colleague.goto(`${system.gatewayUrl}/renewals?create=true`);
  await colleague.getByRole('button', { name: 'Watch it' }).waitFor();
  expect(await colleague.getByLabel('Notes').inputValue()).toBe('');
  await colleague.close();

  await drawer.getByRole('button', { name: 'Watch it' }).click();
  await page.getByRole('heading', { name: 'Insurance policy' }).waitFor();
  await page.getByText('ask for the policy').waitFor();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  expect([await due.inputValue(), await notes.inputValue(), await customer.inputValue()]).toEqual(['', '', '']);
  await page.close();
});

test('what becomes of a new date whose form was closed is told, leads nobody away, and tried again makes it once', async () => {
  const page = await desk.open('/renewals?create=true');
  const drawer = page.getByRole('complementary', { name: 'A date to be watched' });
  const watchIt = drawer.getByRole('button', { name: 'Watch it' });
  const keys: (string | undefined)[] = [];
  let closed = Promise.withResolvers<void>();
  let isLost = true;
  await page.route('**/ops/customers/*/renewals', async (asked) => {
    keys.push(asked.request().headers()['idempotency-key']);
    const response = await asked.fetch();
    await closed.promise;
    await asked.fulfill(isLost ? { status: 409, json: { title: 'Lost on the way' } } : { response });
  });
  await drawer.getByRole('combobox', { name: /Customer/ }).fill('Demo Dat');
  await page.getByRole('option', { name: /Demo Dates/ }).click();
  await drawer.getByLabel('Due date').fill(inDays(200));
  await watchIt.click();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByRole('status').getByText('Lost on the way').waitFor();

  [closed, isLost] = [Promise.withResolvers<void>(), false];
  await page.reload();
  await page.getByRole('link', { name: 'Watch a date' }).click();
  await watchIt.click();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  closed.resolve();
  await page.getByText('Watched from now on.').waitFor();
  expect(new URL(page.url()).searchParams.has('renewal')).toBe(false);
  expect(keys).toEqual([keys[0], keys[0]]);
  expect(keys[0]).toBeTruthy();
  const { body } = await (await system.client('staff')).get(`/ops/customers/${id}/renewals`);
  expect((body as { data: Renewal[] }).data.filter(({ due_date }) => due_date === inDays(200))).toHaveLength(1);
  await page.close();
});

test('who watches a date twice is told before it is saved, and one that is refused leads to the other', async () => {
  const first = await watch(95, 'RESIDENCE_PERMIT');
  const page = await desk.open('/renewals?create=true');
  const drawer = page.getByRole('complementary', { name: 'A date to be watched' });
  await drawer.getByRole('combobox', { name: /Customer/ }).fill('Demo Dat');
  await page.getByRole('option', { name: /Demo Dates/ }).click();
  await drawer.getByRole('combobox', { name: 'Service', exact: true }).selectOption('RESIDENCE_PERMIT');
  await drawer.getByLabel('Due date').fill(inDays(94));
  const hint = drawer.getByText(`Residence permit due ${dayOf(inDays(95))} is watched for this customer already:`);
  expect(await hint.count()).toBe(0);
  await drawer.getByLabel('Due date').fill(inDays(95));
  await hint.waitFor();

  await page.route('**/ops/customers/*/renewals', (asked) =>
    asked.request().method() === 'POST'
      ? asked.fulfill({ status: 409, json: { title: 'Conflict', code: 'already_watched', renewal_id: first.id } })
      : asked.fallback(),
  );
  await drawer.getByRole('button', { name: 'Watch it' }).click();
  await drawer.getByRole('alert').getByText('this policy is watched for that date already').waitFor();
  await drawer.getByRole('link', { name: 'show it' }).click();
  await page.getByRole('complementary', { name: 'The renewal in focus' }).getByText('95 days').waitFor();
  expect(new URL(page.url()).searchParams.get('renewal')).toBe(first.id);

  const other = await watch(97, 'RESIDENCE_PERMIT');
  await page.route(`**/ops/renewals/${first.id}`, (asked) =>
    asked.request().method() === 'PATCH'
      ? asked.fulfill({ status: 409, json: { title: 'Conflict', code: 'already_watched', renewal_id: other.id } })
      : asked.fallback(),
  );
  const focused = page.getByRole('complementary', { name: 'The renewal in focus' });
  await focused.getByLabel('Due date').fill(inDays(97));
  await focused.getByRole('button', { name: 'Save' }).click();
  await focused.getByRole('link', { name: 'show it' }).click();
  await focused.getByText('97 days').waitFor();
  await page.close();
});

test('what is wrong with the date of the next term is said at its field', async () => {
  const { id: renewal } = await watch(96);
  const page = await desk.open(`/renewals?renewal=${renewal}`);
  const drawer = page.getByRole('complementary', { name: 'The renewal in focus' });
  await drawer.getByRole('button', { name: 'Other term…' }).click();
  const next = drawer.getByLabel('The next one is due');
  await next.fill('2250-01-01');
  await drawer.getByRole('button', { name: 'Complete' }).last().click();
  await page.locator('[aria-invalid=true]').and(next).waitFor();
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
