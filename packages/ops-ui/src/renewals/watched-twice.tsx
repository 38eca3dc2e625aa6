import { Button } from '@mantine/core';
import type { Renewal } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { ShowIt, useWatchedLikeIt } from './already-watched.tsx';
import classes from './renewal-drawer.module.css';
import { useServiceNames } from './service-types.ts';
import { twinsOf } from './twins.ts';

/** Of a customer who was entered twice, a date may be watched twice as well, and they would be written to twice. */
export function WatchedTwice({ renewal, cancel }: { renewal: Renewal; cancel(): void }) {
  const { customer_id, service_type, due_date } = renewal;
  const twins = twinsOf(renewal, useWatchedLikeIt({ customerId: customer_id, service_type, due_date }));
  const nameOf = useServiceNames();
  if (twins.length === 0) return null;
  return (
    <p className={classes.unknown}>
      The same is watched twice:{' '}
      {twins.map(({ id, policy_id }) => (
        <span key={id}>
          {nameOf(service_type)} {policy_id && `${policy_id} `}due {dayOf(due_date)}, <ShowIt id={id} />.{' '}
        </span>
      ))}
      <Button size="compact-xs" variant="default" onClick={cancel}>
        Cancel this one as a duplicate…
      </Button>
    </p>
  );
}
