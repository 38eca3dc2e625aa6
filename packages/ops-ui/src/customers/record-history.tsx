import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { Communication } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { exactly } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed } from '../parts/states.tsx';
import { entryInWords } from './record-history-words.ts';
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

/** What was done with a record, and what became of its sends, newest first. */
export default function RecordHistory({ record, close }: { record: Communication; close(): void }) {
  const nameOf = useAgentNames();
  const query = useInfiniteQuery(historyQuery(record));
  const entries = query.data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <section className={classes.history} aria-label="What became of it">
      {query.error && <Failed problem={asProblem(query.error)} again={query.refetch} />}
      <ol>
        {entries.map((entry) => (
          <li key={entry.id}>
            <time dateTime={entry.at}>{exactly(entry.at)}</time> {entryInWords(entry, nameOf)}
          </li>
        ))}
      </ol>
      {query.isSuccess && entries.length === 0 && <Text size="sm">Nothing happened to it since it was written.</Text>}
      <ShowMore query={query} size="compact-xs" variant="subtle" color="gray">
        Older
      </ShowMore>
      <Button size="compact-xs" variant="default" onClick={close}>
        Hide
      </Button>
    </section>
  );
}
