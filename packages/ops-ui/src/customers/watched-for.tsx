import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dayOf } from '../parts/dates.tsx';
import { DaysLeft } from '../parts/urgency.tsx';
import { customerRenewalsQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import classes from './unknown-customer.module.css';

/** What is known of somebody of whom nothing else is: the dates that are watched, each with its way to the queue. */
export function WatchedFor({ customerId }: { customerId: string }) {
  const { data } = useInfiniteQuery(customerRenewalsQuery(customerId));
  const nameOf = useServiceNames();
  const open = data?.pages.flatMap((page) => page.data).filter(isOpen) ?? [];
  if (open.length === 0) return <p>There is nothing about them but this id.</p>;
  return (
    <>
      <p>These dates are watched for them, and nobody can be written to until they are described:</p>
      <ul className={classes.watched}>
        {open.map(({ id, service_type, due_date, days_until_due }) => (
          <li key={id}>
            <Link to="/renewals" search={{ renewal: id }}>
              {nameOf(service_type)}
            </Link>{' '}
            due {dayOf(due_date)} {days_until_due !== null && <DaysLeft days={days_until_due} />}
          </li>
        ))}
      </ul>
    </>
  );
}
