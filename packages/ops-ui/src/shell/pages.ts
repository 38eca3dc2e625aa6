import { IconChecklist, IconMessages, IconUserQuestion, IconUsers, type TablerIcon } from '@tabler/icons-react';

export interface Page {
  label: string;
  icon: TablerIcon;
  to: '/customers' | '/tasks' | '/unmatched';
}

/** In the order of the rail: Today, Customers, Renewals, Tasks, Unmatched, Runs, Settings. */
export const pages: readonly Page[] = [
  { label: 'Customers', icon: IconUsers, to: '/customers' },
  { label: 'Tasks', icon: IconChecklist, to: '/tasks' },
  { label: 'Unmatched', icon: IconUserQuestion, to: '/unmatched' },
];

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
