import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { exactly, instantOf } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { linesOf } from './record-history-words.ts';
import classes from './thread.module.css';

const historyQuery = ({ customer_id, id }: Communication) =>
  inPages(['communications', customer_id, 'history', id], ({ cursor, signal }) =>
    dataOf(
      api.GET('/ops/communications/{id}/history', {
        params: { path: { id }, query: { limit: 50, ...cursor } },
        signal,
      }),
    ),
  );

/** From its first words on: what was done with a record, and what became of its sends, newest first. */
export default function RecordHistory({ record, close }: { record: Communication; close(): void }) {
  const nameOf = useAgentNames();
  const query = useInfiniteQuery(historyQuery(record));
  const entries = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className={classes.history} aria-label="What became of it">
      {query.error && <Failed problem={asProblem(query.error)} again={query.refetch} />}
      {query.isPending && <Loading rows={2} />}
      {query.isSuccess && (
        <ol>
          {linesOf(record, entries, !query.hasNextPage, { nameOf, timeOf: instantOf }).map(({ key, at, words }) => (
            <li key={key}>
              <time dateTime={at}>{exactly(at)}</time> {words}
            </li>
          ))}
        </ol>
      )}
      <ShowMore query={query} size="compact-xs" variant="subtle" color="gray">
        Older
      </ShowMore>
      <Button size="compact-xs" variant="default" onClick={close}>
        Hide
      </Button>
    </section>
  );
}
