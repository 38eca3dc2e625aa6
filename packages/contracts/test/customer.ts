import type { CustomerCard } from '../src/internal-routes.ts';

/** A customer of whom nothing but a name is known. */
export const bareCustomer: Omit<CustomerCard, 'id' | 'version'> = {
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
};
