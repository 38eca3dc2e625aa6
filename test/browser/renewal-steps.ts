import { addDays } from '@ops/contracts/dates';
import type { Renewal } from '@ops/contracts/resources/renewal';
import type { System } from '@ops/test-system/system';
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

/** As if the alert of a renewal had fired so many days ago: what follows it is due by as many days. */
export async function alertedDaysAgo({ database }: System, renewal: string, days: number): Promise<void> {
  const renewals = database('renewals');
  const about = { renewal, days };
  await renewals.raw(
    `UPDATE renewals SET next_alert_on = next_alert_on - :days ::int, sequence = sequence ||
       jsonb_build_object('began_on', (sequence ->> 'began_on')::date - :days ::int) WHERE id = :renewal`,
    about,
  );
  await renewals.raw(
    "UPDATE alerts SET decided_at = decided_at - :days * interval '1 day' WHERE renewal_id = :renewal",
    about,
  );
}
