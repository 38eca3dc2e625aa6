import { addDays } from '@ops/contracts/dates';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { Desk } from './desk.ts';

export const dayOf = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(date));

export const inDays = (days: number) => addDays(new Date().toISOString().slice(0, 10), days);

/** Has dates of that customer watched beside the pages. */
export const watchFor =
  (desk: () => Desk, customerId: string) =>
  async (days: number, service_type = 'WORK_PERMIT'): Promise<Renewal> => {
    const staff = await desk().system.client('staff');
    const made = await staff.post(`/ops/customers/${customerId}/renewals`, { service_type, due_date: inDays(days) });
    return made.body as Renewal;
  };
