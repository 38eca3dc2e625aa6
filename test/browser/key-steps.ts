import { expect } from '@jest/globals';
import { addDays } from '@ops/contracts/dates';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import type { Page } from 'playwright-core';
import type { Desk } from './desk.ts';

export const customer = 'Demo Keys';
const id = 'C-keys';
const phone = '+447700900334';

/** Four dates of one customer are watched, due in 10, 20, 30 and 40 days: at a system that watches no other. */
export async function watchFour(desk: Desk): Promise<void> {
  const staff = await desk.system.client('staff');
  await staff.put(`/ops/customers/${id}`, { name: customer, phones: [phone] });
  await staff.put('/ops/agents/demo-admin', { name: 'Demo Admin' });
  await desk.system.simulator.person({ name: customer, phone });
  await desk.system.simulator.write(phone, { channel: 'MESSAGING_APP', text: canary() });
  await eventually(async () =>
    expect((await staff.get(`/ops/customers/${id}`)).body).toMatchObject({ unread_count: 1 }),
  );
  const today = new Date().toISOString().slice(0, 10);
  for (const days of [10, 20, 30, 40]) {
    const body = { service_type: 'WORK_PERMIT', due_date: addDays(today, days), policy_id: `P-${days}` };
    await staff.post(`/ops/customers/${id}/renewals`, body);
  }
}

export const row = (page: Page, days: number) => page.getByRole('row').filter({ hasText: `P-${days}` });
/** Until the keys are there. */
export const inHand = (page: Page, days: number) =>
  row(page, days)
    .getByRole('link', { name: `Work permit of ${customer}` })
    .and(page.locator(':focus'))
    .waitFor();
export const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
export const drawer = (page: Page) => page.getByRole('complementary', { name: 'The renewal in focus' });

/** `open`: of a desk, for a page of one's own or of whoever shares it. */
export async function queue(open: Desk['open']): Promise<Page> {
  const page = await open('/renewals');
  await page.setViewportSize({ width: 1800, height: 900 });
  await row(page, 40).waitFor();
  return page;
}
