import type { Communication } from '../api/types.ts';

const reports: [part: string, words: string][] = [
  ['message/delivery-status', 'Delivery report'],
  ['message/disposition-notification', 'Read receipt'],
  ['message/feedback-report', 'Complaint'],
];

/** What a machine wrote, and null for a person's words. */
export function machineWords({
  automatic,
  attachments,
}: Pick<Communication, 'automatic' | 'attachments'>): string | null {
  if (!automatic) return null;
  const report = reports.find(([part]) => attachments.some(({ media_type }) => media_type === part));
  return report?.[1] ?? 'Automatic message';
}

/** Which of our mailboxes or numbers it was written to, without the mark by which we know answers again. */
export const writtenTo = ({ recipient }: Pick<Communication, 'recipient'>): string | null =>
  recipient?.replace(/\+[0-9a-f]{32}(?=@)/i, '') ?? null;

/** Where answers to it go, if elsewhere than to its sender; what is probably forged is not followed. */
export const answersTo = ({
  reply_to,
  sender_verified,
}: Pick<Communication, 'reply_to' | 'sender_verified'>): string | null =>
  sender_verified === 'fail' ? null : reply_to;
