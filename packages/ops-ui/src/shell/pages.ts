import { IconMessages, IconRefresh, IconSettings, IconUsers, type TablerIcon } from '@tabler/icons-react';

export interface Page {
  label: string;
  icon: TablerIcon;
  to: '/customers' | '/runs' | '/settings';
}

/** In the order of the rail: Today, Customers, Renewals, Tasks, Unmatched, Runs, Settings. */
export const pages: readonly Page[] = [
  { label: 'Customers', icon: IconUsers, to: '/customers' },
  { label: 'Runs', icon: IconRefresh, to: '/runs' },
  { label: 'Settings', icon: IconSettings, to: '/settings' },
];

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
