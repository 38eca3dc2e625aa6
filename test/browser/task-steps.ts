import type { Page } from 'playwright-core';
import type { Desk } from './desk.ts';

export const rowOf = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title });

export const undo = (page: Page, words: string) =>
  page.getByRole('status').locator('div', { hasText: words }).getByRole('button', { name: 'Undo' }).click();

/** What suites do about the tasks of one customer beside the pages, over the API. */
export function taskSteps(desk: () => Desk, customer_id: string) {
  const staff = () => desk().system.client('staff');

  /** Made by whoever signs in as `demo-staff`, for whom it is. */
  async function given(title: string, more: object = {}) {
    const task = { customer_id, title, assigned_agent: 'demo-staff', ...more };
    return (await (await staff()).post('/ops/tasks', task)).body as { id: string };
  }

  async function read(taskId: string) {
    const { data } = (await (await staff()).get('/ops/tasks')).body as { data: Record<string, unknown>[] };
    return data.find((one) => one.id === taskId);
  }

  /** A task about a date that is watched; answers how that stands. */
  async function about(policy_id: string) {
    const watched = { service_type: 'INSURANCE_POLICY', due_date: '2190-05-01', policy_id };
    const made = await (await staff()).post(`/ops/customers/${customer_id}/renewals`, watched);
    const { id: renewal_id } = made.body as { id: string };
    await given(`See to ${policy_id}`, { renewal_id });
    return async () => ((await (await staff()).get(`/ops/renewals/${renewal_id}`)).body as { status: string }).status;
  }

  return { given, read, about };
}
