import type { EventData } from '../src/events.ts';

/** A customer of whom nothing but a name is known. */
export const bareCustomer: Omit<EventData<'customer.changed'>, 'customer_id' | 'version' | 'occurred_at'> = {
  name: 'Ada Demo',
  phones: [],
  emails: [],
  user_ids: [],
  opted_out: [],
  locale: null,
  time_zone: null,
  assigned_agent: null,
  preferred_channel: null,
  do_not_contact: false,
  archived_at: null,
};
