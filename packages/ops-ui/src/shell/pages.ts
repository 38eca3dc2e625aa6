import { IconMessages, IconUsers, type TablerIcon } from '@tabler/icons-react';

export interface Page {
  label: string;
  icon: TablerIcon;
  to: '/customers';
}

export const pages: readonly Page[] = [{ label: 'Customers', icon: IconUsers, to: '/customers' }];

/** Announced, and not there yet. */
export const allCommunications = { label: 'All communications', icon: IconMessages };
