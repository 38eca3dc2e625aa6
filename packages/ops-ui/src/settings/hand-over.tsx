import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import type { Agent } from '../api/types.ts';
import { AgentSelect, useAgentNames } from '../parts/agents.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
import classes from './settings.module.css';

interface Counts {
  customers: number;
  renewals: number;
  tasks: number;
}

/** Customers before all: what belongs to nobody else goes along with them. */
const kinds = ['customers', 'renewals', 'tasks'] as const;

async function call(kind: (typeof kinds)[number], from: string, to: string | null, dry_run: boolean) {
  const params = {
    query: dry_run ? { dry_run: 'true' as const } : {},
    header: { 'Idempotency-Key': crypto.randomUUID() },
  };
  return dataOf(api.POST(`/ops/${kind}/hand-over`, { params, body: { from, assigned_agent: to } }));
}

const countsQuery = (from: string) => ({
  queryKey: ['hand-over', from],
  queryFn: async (): Promise<Counts> => {
    const [customers, renewals, tasks] = await Promise.all(kinds.map((kind) => call(kind, from, null, true)));
    return { customers: customers?.left ?? 0, renewals: renewals?.left ?? 0, tasks: tasks?.left ?? 0 };
  },
});

/** One portion after the other, until nothing is left; broken off, what has gone has gone, and the rest goes the next time. */
async function handOver(from: string, to: string | null): Promise<Counts> {
  const done: Counts = { customers: 0, renewals: 0, tasks: 0 };
  for (const kind of kinds)
    for (;;) {
      const { handed_over, left } = await call(kind, from, to, false);
      done[kind] += handed_over;
      if (left === 0 || handed_over === 0) break;
    }
  return done;
}

const inWords = ({ customers, renewals, tasks }: Counts): string =>
  `${counted(customers, 'customer')}, ${counted(renewals, 'renewal')} and ${counted(tasks, 'task')}`;

/** Nobody hands everything over to nobody by a single click. */
const notYet = '?';

/** All that one agent was given goes to another in one step. */
export function HandOver({ agent }: { agent: Agent }) {
  const { data: counts, error, refetch } = useQuery({ ...countsQuery(agent.id), refetchOnMount: 'always' });
  const [to, setTo] = useState<string | null>(notYet);
  const nameOf = useAgentNames();
  const going = useMutation({
    mutationFn: () => handOver(agent.id, to),
    onSuccess: (done) => tell(`Handed over to ${to === null ? 'nobody' : nameOf(to)}: ${inWords(done)}.`),
    onError: tellProblem,
    onSettled: () => {
      setTo(notYet);
      return queries.invalidateQueries();
    },
  });
  if (error) return <Failed problem={asProblem(error)} again={refetch} />;
  if (!counts) return <Loading rows={2} />;
  const isNothing = kinds.every((kind) => counts[kind] === 0);
  return (
    <section className={classes.handOver} aria-label="Hand over">
      <h2>Hand over all that is theirs</h2>
      <Text size="sm" c="var(--text-quiet)">
        {isNothing
          ? `${agent.name} was given nothing that is open.`
          : `${agent.name} was given ${inWords(counts)}. What nobody else was given goes along: their customers’ renewals, and the tasks of alerts.`}
      </Text>
      {!isNothing && (
        <>
          <AgentSelect label="To" value={to} onChange={setTo} any={{ value: notYet, label: 'Choose…' }} />
          <Button
            variant="default"
            loading={going.isPending}
            disabled={to === notYet || to === agent.id}
            onClick={() => going.mutate()}
          >
            Hand over
          </Button>
        </>
      )}
    </section>
  );
}
