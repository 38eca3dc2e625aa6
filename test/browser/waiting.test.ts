import { afterAll, beforeAll, test } from '@jest/globals';
import { canary } from '@ops/test-kit/logs';
import { shareDeskWith } from './customer.ts';
import type { Desk } from './desk.ts';

let desk: Desk;
const name = 'Demo Impatient';
const phone = '+447700900771';

beforeAll(async () => {
  desk = await shareDeskWith({ id: 'C-impatient', name, phone, email: 'impatient@example.com' });
}, 120_000);
afterAll(() => desk?.stop());

test('who writes waits at once, for everybody, until somebody is done; reading is not answering', async () => {
  const [page, other] = [await desk.open('/waiting?view=all'), await desk.open('/waiting?view=all', 'demo-admin')];
  const row = (one: typeof page) => one.getByRole('row').filter({ hasText: name });
  const asked = canary();
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: asked });
  for (const one of [page, other]) await row(one).getByText(asked).waitFor();
  await row(page).getByRole('link', { name }).click();
  await page.getByText('Waiting for an answer since').waitFor();
  await row(other).getByText('1 unread').waitFor({ state: 'detached' });
  await row(other).getByText(asked).waitFor();
  await page.getByRole('button', { name: `Done: ${name}` }).click();
  await page.getByText(`Done with ${name}.`).waitFor();
  await row(other).waitFor({ state: 'detached' });
  await Promise.all([page.close(), other.close()]);
});
