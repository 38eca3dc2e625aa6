import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import { ChannelIcon } from '../parts/channels.tsx';
import { When } from '../parts/dates.tsx';
import { useFetchUntil } from '../parts/further-pages.ts';
import { KeyHelp } from '../parts/key-help.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import { RenewalLabels } from './about-renewals.tsx';
import { CustomerLink } from './customer-link.tsx';
import { failedQuery } from './failed-query.ts';
import classes from './not-sent.module.css';
import { RecordView } from './record.tsx';
import { failedKeys, useFailedKeys } from './use-failed-keys.ts';

const route = getRouteApi('/not-sent');

/** Messages that failed, or of which nobody knows, each with its words and the way on. */
export function NotSentPage() {
  return (
    <>
      <PageHeader title="Failed and uncertain messages" />
      <Messages />
      <KeyHelp own={failedKeys} />
    </>
  );
}

function Messages() {
  const { message } = route.useSearch();
  const query = useInfiniteQuery(failedQuery);
  const { data, error, isPending, refetch } = query;
  const records = data?.pages.flatMap((page) => page.data) ?? [];
  const { list, onFocus } = useFailedKeys(records.length);
  useFetchUntil(query, message === undefined || records.some(({ id }) => id === message));
  if (isPending) return <Loading rows={4} height={120} />;
  if (error) return <Failed problem={asProblem(error)} again={refetch} />;
  if (records.length === 0) return <Empty>Every message left as it should.</Empty>;
  return (
    <div className={classes.messages}>
      <ul ref={list} onFocus={onFocus}>
        {records.map((record) => (
          <li key={record.id} data-failed tabIndex={-1} ref={record.id === message ? takeFocus : undefined}>
            <p className={classes.to}>
              <ChannelIcon type={record.type} size={14} />
              <CustomerLink id={record.customer_id} data-opens />
              <span className={classes.when}>
                <When at={record.occurred_at} />
              </span>
            </p>
            <RenewalLabels customerId={record.customer_id} records={[record]}>
              <RecordView record={record} />
            </RenewalLabels>
          </li>
        ))}
      </ul>
      <ShowMore query={query} />
    </div>
  );
}
