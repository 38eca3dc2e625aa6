import { ActionIcon } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconUsers, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { QueueSearch } from '../attention/waiting-search.ts';
import classes from '../customers/workspace.module.css';
import type { Keys } from '../parts/key-help.tsx';
import { duplicatesQuery } from './duplicates-query.ts';
import { becauseInWords } from './merging.ts';
import { isPutAway, putAway } from './put-away.ts';

export const sameKeys: Keys = [['m', 'compare with who may be the same']];

interface MaybeSameProps {
  id: string;
  /** Those whom somebody goes through, and goes on with afterwards. */
  through: QueueSearch;
}

/** Who else the customer may be, until somebody says for this visit that it is nobody. */
export function MaybeSame({ id, through }: MaybeSameProps) {
  const compare = useRef<HTMLAnchorElement>(null);
  useHotkeys([['m', () => compare.current?.click()]]);
  const { data = [] } = useQuery(duplicatesQuery(id));
  const [, look] = useState(0);
  const [likeliest, ...others] = data.filter(({ customer }) => !isPutAway(id, customer.id));
  if (!likeliest) return null;
  const { customer, because } = likeliest;
  const dismiss = () => {
    putAway(id, customer.id);
    look((count) => count + 1);
    if (others.length === 0) document.getElementById('content')?.focus({ preventScroll: true });
  };
  return (
    <div className={classes.same}>
      <IconUsers size={14} aria-hidden />
      <span>
        May be the same as {customer.name}, {customer.id}: {becauseInWords(because)}
        {others.length > 0 && `, or as ${others.length} more`}
      </span>
      <Link
        to="/customers/$id/merge"
        params={{ id }}
        search={{ ...through, with: customer.id }}
        ref={compare}
        aria-keyshortcuts="m"
      >
        Compare
      </Link>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="xs"
        onClick={dismiss}
        aria-label={`Not the same as ${customer.name}, ${customer.id}`}
      >
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}
