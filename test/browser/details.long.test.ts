import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unzipped } from '@ops/test-kit/unzipped';
import { bringAxe, violations } from './axe.ts';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

/** In the page. */
interface Line {
  value: string;
}

let desk: Desk;
const id = 'C-details';
const [phone, second] = ['+447700900881', '+447700900882'];

beforeAll(async () => {
  desk = await shareDeskWith({ id, name: 'Dora Details', phone, email: 'dora@example.com' });
});
afterAll(() => desk?.stop());

test('a number is changed by keyboard alone, and who changed what is told below', async () => {
  const page = await desk.open(`/customers/${id}`);
  await page.getByRole('tab', { name: 'Communications' }).focus();
  for (let n = 0; n < 3; n++) await page.keyboard.press('ArrowRight');
  const phones = page.getByRole('group', { name: 'Phones' });
  await phones.getByText('Set here').waitFor();
  await phones.getByRole('button', { name: 'Add a phone' }).press('Enter');
  await page.keyboard.type('none');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await phones.getByText('Is not a phone number').waitFor();
  await phones.getByLabel('Phone 2').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(second);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(
    await phones.getByRole('textbox').evaluateAll((all) => all.map((one) => (one as never as Line).value)),
  ).toEqual([second, phone]);
  await page.getByLabel('Preferred channel').selectOption('SMS');
  await page.getByRole('checkbox', { name: /Not to be contacted/ }).press('Space');
  await page.getByRole('button', { name: 'Save' }).press('Enter');
  await page.getByText('Dora Details is saved.').waitFor();
  const history = page.getByRole('region', { name: 'Who changed what' });
  await history.getByText(`phones ${second}, ${phone}, before ${phone}`).waitFor();
  await history.getByText('preferred channel SMS, before none').waitFor();
  await page.locator('header').getByText('Not to be contacted').waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.close();
});

test('an opt-out is set and lifted beside its address, and what was typed meanwhile is neither lost nor stale', async () => {
  const page = await desk.open(`/customers/${id}?tab=details`);
  await page.getByLabel('Language').fill('german!');
  const address = page.getByRole('region', { name: phone, exact: true });
  await address.getByRole('button', { name: `Opt out of SMS for ${phone}` }).press('Enter');
  await page.keyboard.type('asked on the phone');
  await page.keyboard.press('Enter');
  await address.getByText(/^Opted out of SMS: staff said so on /).waitFor();
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Must be a language such as en or de-CH').waitFor();
  await page.getByLabel('Language').fill('de-CH');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Dora Details is saved.').waitFor();
  await address.getByRole('button', { name: `Lift the opt-out of SMS for ${phone}` }).press('Enter');
  await page.keyboard.type('asked for them again');
  await page.keyboard.press('Enter');
  await address.getByText('Automated messages may come by SMS').waitFor();
  const decided = page.getByRole('region', { name: 'Opt-outs, as they were decided' });
  await decided.getByText('asked for them again').waitFor();
  await page.close();
});

test('an admin puts the customer on legal hold and lifts it by keyboard, with a reason, and staff see it and cannot', async () => {
  const page = await desk.open(`/customers/${id}?tab=details`, 'demo-admin');
  const hold = page.getByRole('region', { name: 'Legal hold' });
  await hold.getByRole('button', { name: 'Put on hold…' }).press('Enter');
  await page.keyboard.press('Enter');
  await hold.getByText('Say why.').waitFor();
  await page.keyboard.type('Case 4 B 12');
  await bringAxe(page);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await hold.getByText('On hold since').waitFor();
  await page.getByRole('region', { name: 'Who changed what' }).getByText('on legal hold yes, before no').waitFor();
  const staff = await desk.open(`/customers/${id}?tab=details`);
  const seen = staff.getByRole('region', { name: 'Legal hold' });
  await seen.getByText('Case 4 B 12').waitFor();
  await seen.getByText('Only administrators change this.').waitFor();
  expect(await seen.getByRole('button').count()).toBe(0);
  await hold.getByRole('button', { name: 'Lift the hold…' }).press('Enter');
  await page.keyboard.type('settled');
  await page.keyboard.press('Enter');
  await seen.getByText(/^None/).waitFor();
  await staff.close();
  await page.close();
});

test('an admin exports everything that is held of the customer, which is whole and stands in the history', async () => {
  const page = await desk.open(`/customers/${id}?tab=details`, 'demo-admin');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
  const file = await download;
  expect(file.suggestedFilename()).toBe(`customer-${id}.zip`);
  const files = await unzipped(await readFile(await file.path()));
  expect(files.get('index.html')?.toString()).toContain(`Everything held of Dora`);
  await page
    .getByRole('region', { name: 'Who changed what' })
    .getByText('took all that is held of them along as an archive')
    .waitFor();
  await page.close();
});

test('what a colleague saved meanwhile is not written over unasked, and nothing typed is lost', async () => {
  const staff = await desk.system.client('staff');
  const page = await desk.open(`/customers/${id}?tab=details`);
  await page.getByLabel('Language').fill('de');
  await staff.patch(`/ops/customers/${id}`, { name: 'Dora Colleague' });
  await page.getByRole('heading', { name: 'Dora Colleague' }).waitFor();
  await page.getByText('Somebody else changed this since you began.').waitFor();
  await page.reload();
  expect(await page.getByLabel('Language').inputValue()).toBe('de');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Dora Colleague');
  await page.getByLabel('Language').fill('fr');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Dora Colleague is saved.').waitFor();
  expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ name: 'Dora Colleague', locale: 'fr' });
  await page.close();
});

test('no page ran into an error, was refused a part of it, or asked anybody else', () => {
  expect(desk.failures()).toEqual([]);
});
