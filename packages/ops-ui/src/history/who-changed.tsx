import { Text } from '@mantine/core';
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { inPages } from '../api/pages.ts';
import { asProblem } from '../api/problem.ts';
import type { AuditEntry } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf, When } from '../parts/dates.tsx';
import { ShowMore } from '../parts/show-more.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { useServiceNames } from '../renewals/service-types.ts';
import classes from './history.module.css';
import { changesInWords } from './history-words.ts';

const pageSize = 20;

interface Page {
  data: AuditEntry[];
  next_cursor: string | null;
}

interface WhoChangedProps {
  /** Under that of the thing itself, so that it is fetched again together with it. */
  queryKey: QueryKey;
  ask(query: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Page>;
}

/** Who changed what of one thing, newest first; nothing where nobody did. */
export function WhoChanged({ queryKey, ask }: WhoChangedProps) {
  const query = useInfiniteQuery(
    inPages([...queryKey, 'history'], ({ cursor, signal }) => ask({ limit: pageSize, ...cursor }, signal)),
  );
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const entries = data.pages.flatMap((page) => page.data);
  if (entries.length === 0) return null;
  return (
    <section aria-label="Who changed what">
      <h3 className={classes.title}>Who changed what</h3>
      <ol className={classes.lines}>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <ShowMore size="compact-sm" variant="subtle" query={query}>
        Older
      </ShowMore>
    </section>
  );
}

function Entry({ entry: { actor, role, action, at, changes } }: { entry: AuditEntry }) {
  const [agent, service] = [useAgentNames(), useServiceNames()];
  const who = role === 'automation' ? `${actor} (automation)` : agent(actor);
  return (
    <li>
      <span>
        {who}
        {byFile.test(action) && ', by a file'}: {changesInWords(changes, { agent, service, day: dayOf })}
      </span>
      <Text size="sm" c="var(--text-quiet)" className={classes.when}>
        <When at={at} />
      </Text>
    </li>
  );
}

/** The operations by which files come in. */
const byFile = /^(import|apply)/;
