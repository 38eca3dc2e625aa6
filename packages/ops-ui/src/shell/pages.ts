import {
  IconCalendarDue,
  IconChecklist,
  IconMessageCircleQuestion,
  IconMessages,
  IconRefresh,
  IconSettings,
  IconSun,
  IconUserQuestion,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';

export interface Page {
  label: string;
  icon: TablerIcon;
  to: '/' | '/waiting' | '/customers' | '/renewals' | '/tasks' | '/unmatched' | '/runs' | '/settings';
}

export const pages: readonly Page[] = [
  { label: 'Today', icon: IconSun, to: '/' },
  { label: 'Waiting', icon: IconMessageCircleQuestion, to: '/waiting' },
  { label: 'Customers', icon: IconUsers, to: '/customers' },
  { label: 'Renewals', icon: IconCalendarDue, to: '/renewals' },
  { label: 'Tasks', icon: IconChecklist, to: '/tasks' },
  { label: 'Unmatched', icon: IconUserQuestion, to: '/unmatched' },
  { label: 'Runs', icon: IconRefresh, to: '/runs' },
  { label: 'Settings', icon: IconSettings, to: '/settings' },
];

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
