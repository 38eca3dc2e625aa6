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
import { changesInWords, madeRecord } from './history-words.ts';

const pageSize = 20;

interface Page {
  data: AuditEntry[];
  next_cursor: string | null;
}

export interface Remembered {
  /** Under that of the thing itself, so that it is fetched again together with it. */
  queryKey: QueryKey;
  ask(query: { limit: number; cursor?: string }, signal: AbortSignal): Promise<Page>;
  /** How it is told that there is one since then, by the field that each has. */
  made?: Record<string, string>;
}

export const useHistory = ({ queryKey, ask }: Remembered) =>
  useInfiniteQuery({
    ...inPages([...queryKey, 'history'], ({ cursor, signal }) => ask({ limit: pageSize, ...cursor }, signal)),
    refetchOnMount: 'always',
  });

/** Who changed what of one thing, newest first; nothing where nobody did. */
export function WhoChanged(of: Remembered) {
  const query = useHistory(of);
  const { data, error, isPending, refetch } = query;
  if (isPending) return <Loading />;
  if (!data) return <Failed problem={asProblem(error)} again={refetch} />;
  const entries = data.pages.flatMap((page) => page.data);
  if (entries.length === 0) return null;
  return (
    <section aria-label="Who changed what">
      <h3 className={classes.title}>Who changed what</h3>
      <Changes query={query} made={of.made} />
    </section>
  );
}

interface ChangesProps {
  query: ReturnType<typeof useHistory>;
  made: Remembered['made'] | undefined;
}

export const Changes = ({ query, made }: ChangesProps) => (
  <>
    <ol className={classes.lines}>
      {query.data?.pages.flatMap(({ data }) => data.map((entry) => <Entry key={entry.id} entry={entry} made={made} />))}
    </ol>
    <ShowMore size="compact-sm" variant="subtle" query={query}>
      Older
    </ShowMore>
  </>
);

/** As people call them. */
export function useWho() {
  const agent = useAgentNames();
  return ({ actor, role }: Pick<AuditEntry, 'actor' | 'role'>) =>
    role === 'automation' ? `${actor} (automation)` : agent(actor);
}

function Entry({ entry, made = madeRecord }: { entry: AuditEntry; made: Remembered['made'] | undefined }) {
  const { action, at, changes } = entry;
  const [who, agent, service] = [useWho(), useAgentNames(), useServiceNames()];
  const isByFile = made === madeRecord && byFile.test(action);
  return (
    <li>
      <span>
        {who(entry)}
        {isByFile && ', by a file'}: {changesInWords(changes, { agent, service, day: dayOf }, made)}
      </span>
      <Text size="sm" c="var(--text-quiet)" className={classes.when}>
        <When at={at} />
      </Text>
    </li>
  );
}

/** The operations by which files come in. */
const byFile = /^(import|apply)/;
