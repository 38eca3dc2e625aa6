import type { Renewal } from '../api/types.ts';

export const windows = ['30', '60', '90', '180'] as const;
export type Window = (typeof windows)[number];

export const renewalStatuses = ['UPCOMING', 'IN_PROGRESS', 'OVERDUE', 'COMPLETED', 'CANCELLED'] as const;
export type Status = Renewal['status'];

export const statusNames: Record<Status, string> = {
  UPCOMING: 'Upcoming',
  IN_PROGRESS: 'In progress',
  OVERDUE: 'Overdue',
  COMPLETED: 'Completed',
  CANCELLED: 'Cancelled',
};

export const isClosed = (status: Status | undefined): boolean => status === 'COMPLETED' || status === 'CANCELLED';

export const isOpen = ({ status }: Pick<Renewal, 'status'>): boolean => !isClosed(status);
