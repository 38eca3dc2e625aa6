import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { Task } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { BulkBar } from '../parts/bulk-bar.tsx';
import { dayOf } from '../parts/dates.tsx';
import { giveAll } from '../parts/give-all.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import classes from './tasks.module.css';

interface TasksInBulkProps {
  tasks: readonly Task[];
  clear(): void;
  backToRow(): void;
}

const settled = () => queries.invalidateQueries({ queryKey: ['tasks'] });
const keyed = () => ({ header: { 'Idempotency-Key': crypto.randomUUID() } });

type Outcomes = { task_id: string; outcome: string }[];
const doneOf = (outcomes: Outcomes, word: string): string[] =>
  outcomes.flatMap(({ task_id, outcome }) => (outcome === word ? [task_id] : []));

async function give(task_ids: string[], assigned_agent: string | null): Promise<string[]> {
  const body = { task_ids, assigned_agent };
  return doneOf((await dataOf(api.POST('/ops/tasks/assign', { params: keyed(), body }))).data, 'assigned');
}

async function date(tasks: readonly Task[], due_date: string): Promise<void> {
  const body = { task_ids: tasks.map(({ id }) => id), due_date };
  const { data } = await dataOf(api.POST('/ops/tasks/due-date', { params: keyed(), body }));
  const done = doneOf(data, 'changed').length;
  const rest = tasks.length - done;
  tell(`${done} due ${dayOf(due_date)} now.${rest > 0 ? ` ${rest} stay as they were.` : ''}`);
}

/** What is done to all tasks that are selected. */
export function TasksInBulk({ tasks, clear, backToRow }: TasksInBulkProps) {
  const nameOf = useAgentNames();
  const after = { onError: tellProblem, onSettled: settled };
  const assign = useMutation({
    mutationFn: (agent: string | null) => giveAll({ items: tasks, agent, give, nameOf, settled }),
    ...after,
  });
  const dating = useMutation({ mutationFn: (day: string) => date(tasks, day), ...after });
  return (
    <BulkBar
      label="Selected tasks"
      count={tasks.length}
      isBusy={assign.isPending || dating.isPending}
      give={(agent, onSuccess) => assign.mutate(agent, { onSuccess })}
      clear={clear}
      backToRow={backToRow}
    >
      {(done) => <DueDate take={(day) => !dating.isPending && dating.mutate(day, { onSuccess: done })} />}
    </BulkBar>
  );
}

function DueDate({ take }: { take(day: string): void }) {
  const [day, setDay] = useState('');
  return (
    <form
      className={classes.dating}
      onSubmit={(event) => {
        event.preventDefault();
        if (day !== '') take(day);
      }}
    >
      <TextInput
        type="date"
        size="xs"
        aria-label="Due on"
        value={day}
        onChange={({ currentTarget }) => setDay(currentTarget.value)}
      />
      <Button type="submit" size="compact-sm" variant="default" disabled={day === ''}>
        Set the date
      </Button>
    </form>
  );
}
