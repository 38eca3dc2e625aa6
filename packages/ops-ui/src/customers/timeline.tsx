import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { TimelineEvent } from '../api/types.ts';
import { type CommunicationType, whatWasWritten } from '../parts/channels.tsx';
import { dayOf, When } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import type { Rung } from '../renewals/rung-names.ts';
import { alertInWords } from '../renewals/rung-names.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import classes from './workspace.module.css';

/** What happened, newest first; the words of messages stand in the log alone. */
export default function CustomerTimeline({ customerId }: { customerId: string }) {
  const query = useInfiniteQuery(
    inPages(['timeline', customerId], ({ cursor, signal }) =>
      dataOf(
        api.GET('/ops/customers/{id}/timeline', {
          params: { path: { id: customerId }, query: { limit: 100, ...cursor } },
          signal,
        }),
      ),
    ),
  );
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const events = data.pages.flatMap((page) => page.data);
  if (events.length === 0) return <Empty>Nothing has happened yet.</Empty>;
  return (
    <ol className={classes.lines}>
      {events.map((event) => (
        <li key={event.id}>
          <Line event={event} />
          <Text size="sm" c="var(--text-quiet)" ml="auto">
            <When at={event.occurred_at} />
          </Text>
        </li>
      ))}
      {query.hasNextPage && (
        <li>
          <ShowMore size="compact-sm" variant="subtle" query={query}>
            Older
          </ShowMore>
        </li>
      )}
    </ol>
  );
}

interface Facts {
  communication_id?: string;
  type?: CommunicationType;
  rung?: Rung;
  service_type?: string;
  due_date?: string;
  next_due_date?: string | null;
}

function Line({ event: { type, customer_id, data } }: { event: TimelineEvent }) {
  const nameOf = useServiceNames();
  const {
    communication_id,
    type: channel,
    rung = 'OVERDUE',
    service_type = '',
    due_date,
    next_due_date,
  } = data as Facts;
  const due = due_date ? dayOf(due_date) : '';
  if (type === 'COMMUNICATION_RECEIVED')
    return (
      <Link
        to="/customers/$id"
        params={{ id: customer_id }}
        search={communication_id ? { message: communication_id } : {}}
      >
        The customer {channel ? whatWasWritten[channel] : 'wrote'}
      </Link>
    );
  if (type === 'RENEWAL_COMPLETED')
    return (
      <span>
        {nameOf(service_type)} due {due} was completed
        {next_due_date ? `; the next one is due ${dayOf(next_due_date)}` : ''}
      </span>
    );
  return (
    <span>
      {nameOf(service_type)} due {due}: {alertInWords(rung).toLowerCase()}
    </span>
  );
}
