import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ProblemError } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { useFurtherPages } from '../parts/further-pages.ts';
import { customerRenewalsQuery } from './renewal-queries.ts';
import { isOpen } from './renewal-words.ts';
import { useServiceNames } from './service-types.ts';

interface LikeItProps {
  customerId: string | null;
  service_type: string;
  due_date: string;
}

/** What is watched of this customer, service and day. It may be of several policies. */
export function useWatchedLikeIt({ customerId, service_type, due_date }: LikeItProps): Renewal[] {
  const query = useInfiniteQuery({ ...customerRenewalsQuery(customerId ?? ''), enabled: customerId !== null });
  const all = query.data?.pages.flatMap((page) => page.data) ?? [];
  // The earliest due come first.
  useFurtherPages(query, (all.at(-1)?.due_date ?? due_date) <= due_date);
  return all.filter((one) => isOpen(one) && one.service_type === service_type && one.due_date === due_date);
}

/** Before somebody watches a date twice. It may be another policy. */
export function LikeIt({ customerId, service_type, due_date }: LikeItProps) {
  const like = useWatchedLikeIt({ customerId, service_type, due_date });
  const nameOf = useServiceNames();
  return (
    <div role="status">
      {like.map(({ id, policy_id }) => (
        <Text key={id} size="sm">
          {nameOf(service_type)} {policy_id && `${policy_id} `}due {dayOf(due_date)} is watched for this customer
          already: <ShowIt id={id} />
        </Text>
      ))}
    </div>
  );
}

/** A refusal that leads to the renewal which is in the way; nothing where something else is. */
export function AlreadyWatched({ problem, className }: { problem: ProblemError; className?: string | undefined }) {
  const id = watchedInstead(problem);
  if (id === undefined) return null;
  return (
    <Text size="sm" role="alert" c="var(--urgency-overdue-text)" className={className}>
      Not saved: this policy is watched for that date already: <ShowIt id={id} />
    </Text>
  );
}

/** Which one stands in the way; undefined where something else does. */
export function watchedInstead({ problem }: ProblemError): string | undefined {
  return problem.code === 'already_watched' ? problem.renewal_id : undefined;
}

/** In the drawer of the page one is at. */
export const ShowIt = ({ id }: { id: string }) => (
  <Link to="." search={(now: object) => ({ ...now, create: undefined, renewal: id })}>
    show it
  </Link>
);
