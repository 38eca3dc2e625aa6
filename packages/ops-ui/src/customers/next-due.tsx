import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countOfDays, urgencyOf } from '../parts/urgency.tsx';
import { heldBriefly } from '../renewals/held.tsx';
import { customerRenewalsQuery, renewalTasksQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import classes from './workspace.module.css';

/** What falls due next, as a sentence. */
export function NextDue({ customerId }: { customerId: string }) {
  const { data } = useInfiniteQuery(customerRenewalsQuery(customerId));
  const next = data?.pages.flatMap((page) => page.data).find(isOpen);
  const { data: tasks = [] } = useQuery({ ...renewalTasksQuery(next?.id ?? ''), enabled: next !== undefined });
  const nameOf = useServiceNames();
  if (!next || next.days_until_due === null) return null;
  const task = tasks.find(({ status }) => status === 'OPEN');
  return (
    <Link
      to="/customers/$id"
      params={{ id: customerId }}
      search={{ tab: 'renewals', renewal: next.id }}
      className={classes.due}
      data-urgency={urgencyOf(next.days_until_due)}
    >
      {dueInWords(nameOf(next.service_type), next.days_until_due)}
      {task && `, ${task.priority} task open`}
      {next.hold && `, ${heldBriefly(next.hold)}`}
    </Link>
  );
}

function dueInWords(service: string, days: number): string {
  if (days === 0) return `${service} expires today`;
  return days < 0 ? `${service} expired ${countOfDays(days)} ago` : `${service} expires in ${countOfDays(days)}`;
}
