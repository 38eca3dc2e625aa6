import {
  IconCalendarDue,
  IconChecklist,
  IconMailExclamation,
  IconMessageCircleQuestion,
  IconMessages,
  IconRefresh,
  IconSettings,
  IconSun,
  IconUserQuestion,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';
import { settingsPages } from '../settings/settings-pages.ts';

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

export interface FoundPage {
  label: string;
  icon: TablerIcon;
  to: Page['to'] | '/not-sent' | (typeof settingsPages)[number]['to'];
  /** Of what it is a part. */
  within?: string;
  adminsOnly?: boolean;
}

/** All that has a name to be found by, also where no line of the rail leads. */
const namedPages: readonly FoundPage[] = [
  ...pages,
  { label: 'Failed and uncertain messages', icon: IconMailExclamation, to: '/not-sent' },
  ...settingsPages.map((page) => ({ ...page, icon: IconSettings, within: 'Settings' })),
];

/** By how any word of its name begins; before anything is typed, those of the rail. */
export function pagesNamed(text: string, isAdmin: boolean): readonly FoundPage[] {
  if (text === '') return pages;
  const begins = ` ${text.toLowerCase()}`;
  return namedPages.filter(
    ({ label, adminsOnly }) => (isAdmin || !adminsOnly) && ` ${label.toLowerCase()}`.includes(begins),
  );
}

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
