import type { CancelRenewal, Renewal } from '../api/types.ts';

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

export type CancelReason = NonNullable<CancelRenewal['reason']>;

export const reasonWords: Record<CancelReason, string> = {
  not_needed: 'Not needed any more',
  lost: 'The customer went elsewhere',
  duplicate: 'It is watched twice',
  upstream: 'The policy or permit ended',
  other: 'Another reason',
};

/** Those a person may name. */
export const cancelReasons = (Object.keys(reasonWords) as CancelReason[]).filter((reason) => reason !== 'upstream');
