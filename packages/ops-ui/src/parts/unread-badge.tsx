import { Badge } from '@mantine/core';
import { counted } from './words.ts';

export const UnreadBadge = ({ count }: { count: number }) =>
  count === 0 ? null : (
    <Badge size="sm" variant="filled" aria-label={counted(count, 'unread message')}>
      {count} unread
    </Badge>
  );
