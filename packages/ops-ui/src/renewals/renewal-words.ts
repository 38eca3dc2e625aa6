import type { Alert, Renewal } from '../api/types.ts';

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

export const isOpen = ({ status }: Pick<Renewal, 'status'>): boolean =>
  status !== 'COMPLETED' && status !== 'CANCELLED';

export type Rung = Alert['rung'];
/** From the loosest to the most urgent. */
export const rungs: readonly Rung[] = ['90', '60', '30', '14', '7', 'OVERDUE'];

export const rungInWords = (rung: Rung): string => (rung === 'OVERDUE' ? 'overdue' : `${rung} days`);
