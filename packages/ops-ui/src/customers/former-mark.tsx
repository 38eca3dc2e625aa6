import { Badge } from '@mantine/core';
import { dayOf } from '../parts/dates.tsx';

/** Beside the name of a customer who is one no more. */
export const FormerMark = ({ since }: { since: string | null }) =>
  since !== null && (
    <Badge
      size="sm"
      variant="default"
      flex="none"
      tt="none"
      title={`A former customer since ${dayOf(since.slice(0, 10))}`}
    >
      Former
    </Badge>
  );
