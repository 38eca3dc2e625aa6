import { IconCalendarDue, IconMessages, IconUsers, type TablerIcon } from '@tabler/icons-react';

export interface Page {
  label: string;
  icon: TablerIcon;
  to: '/customers' | '/renewals';
}

/** In the order of the rail: Today, Customers, Renewals, Tasks, Unmatched, Runs, Settings. */
export const pages: readonly Page[] = [
  { label: 'Customers', icon: IconUsers, to: '/customers' },
  { label: 'Renewals', icon: IconCalendarDue, to: '/renewals' },
];

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
