import { Badge } from '@mantine/core';

export const UnreadBadge = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Badge size="sm" variant="filled" aria-label={count === 1 ? '1 unread message' : `${count} unread messages`}>
      {count} unread
    </Badge>
  );
