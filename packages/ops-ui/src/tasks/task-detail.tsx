import { Button, Group, Stack, Text } from '@mantine/core';
import { readLocalStorageValue, useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { PatchTask, Task } from '../api/types.ts';
import { CustomerLink } from '../customers/customer-link.tsx';
import { WhoChanged } from '../history/who-changed.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { inOwnDays, When } from '../parts/dates.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { Due } from './due.tsx';
import { NoteLink } from './note-link.tsx';
import { PriorityWord } from './priority.tsx';
import { RenewalLink } from './renewal-link.tsx';
import { alertLines, alertWords, changesOf, closedWords, fieldsOf, type TaskFields, typedSince } from './task.ts';
import { changeTask, saveTask } from './task-actions.ts';
import { TaskFieldsView, taskFields } from './task-fields.tsx';
import { taskQuery } from './task-queries.ts';
import { CloseOrOpen, TaskAgent } from './task-table.tsx';
import { titleOf } from './task-title.ts';
import classes from './tasks.module.css';
import { Waiting } from './waiting.tsx';

/** All there is to a task. */
export function TaskDetail({ task, done, close }: { task: Task; done(task: Task): void; close(): void }) {
  const cancel = async () => {
    if (await changeTask(task, { status: 'CANCELLED' }, `Cancelled: ${titleOf(task)}`)) close();
  };
  return (
    <Stack gap="lg">
      <Group justify="space-between">
        <PriorityWord priority={task.priority} />
        <Due task={task} />
      </Group>
      <Group gap="sm">
        <CloseOrOpen task={task} done={done} after={close} />
        {task.status === 'OPEN' && (
          <Button size="compact-sm" variant="default" onClick={cancel}>
            Cancel task
          </Button>
        )}
      </Group>
      <Facts task={task} />
      <TaskAgent task={task} label="Agent" />
      <Edit task={task} />
      <WhoChanged
        queryKey={taskQuery(task.id).queryKey}
        ask={(query, signal) =>
          dataOf(api.GET('/ops/tasks/{id}/history', { params: { path: { id: task.id }, query }, signal }))
        }
      />
    </Stack>
  );
}

function Facts({ task }: { task: Task }) {
  const nameOf = useAgentNames();
  const why = closedWords(task);
  const lines = alertLines(task.notes);
  return (
    <dl className={classes.facts}>
      {why && (
        <>
          <dt>Closed</dt>
          <dd>
            {why} {task.closed_at && <When at={task.closed_at} />}
          </dd>
        </>
      )}
      <dt>Customer</dt>
      <dd>
        <CustomerLink id={task.customer_id} />
      </dd>
      {task.renewal_id && (
        <>
          <dt>Renewal</dt>
          <dd>
            <RenewalLink id={task.renewal_id}>Show the renewal</RenewalLink>
          </dd>
        </>
      )}
      {task.communication_id && (
        <>
          <dt>Note</dt>
          <dd>
            <NoteLink task={task}>Show the note</NoteLink>
          </dd>
        </>
      )}
      {task.renewal_id && task.status === 'OPEN' && <Waiting renewalId={task.renewal_id} />}
      <dt>Made</dt>
      <dd>
        by {task.created_by ? nameOf(task.created_by) : (alertWords(task) ?? 'the system')},{' '}
        <When at={task.created_at} />
      </dd>
      {lines.length > 0 && (
        <>
          <dt>Told by alerts</dt>
          <dd>
            <ul className={classes.tried}>
              {lines.map((line, n) => (
                <li key={n}>{inOwnDays(line)}</li>
              ))}
            </ul>
          </dd>
        </>
      )}
    </dl>
  );
}

/** What is being changed, and the version it is being changed from. */
interface Edits extends Partial<TaskFields> {
  version?: number;
}

const nothing: Edits = {};

interface Sent {
  changes: PatchTask;
  /** As they were typed. */
  edits: Partial<TaskFields>;
}

/** What is typed is kept in the browser until it is saved; what nobody touches follows the task. */
function Edit({ task }: { task: Task }) {
  const form = useRef<HTMLFormElement>(null);
  const key = `task ${task.id}`;
  const [{ version = task.version, ...edits }, keep, forget] = useLocalStorage<Edits>({
    key,
    defaultValue: nothing,
    getInitialValueInEffect: false,
  });
  const save = useMutation({
    mutationFn: ({ changes }: Sent) => saveTask(task, changes, version),
    onSuccess: (saved, sent) => {
      // Typed here, or into a form of it that was opened since.
      const { version: _, ...typed } = readLocalStorageValue<Edits>({ key, defaultValue: nothing });
      const left = typedSince(typed, sent.edits);
      if (left === null) return settle();
      keep({ version: saved.version, ...left });
      save.reset();
    },
    // Somebody was quicker: the next try is made with theirs on the screen.
    onError: (error) => asProblem(error).status === 412 && keep(edits),
  });
  const changes = changesOf(task, edits);
  const problem = save.error && asProblem(save.error);
  // The button that was pressed goes with the edits; the keys are to stay where the task is.
  const settle = () => {
    forget();
    save.reset();
    form.current?.focus({ preventScroll: true });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changes !== null) save.mutate({ changes, edits });
  };
  return (
    <form onSubmit={submit} ref={form} tabIndex={-1} aria-label="Change the task" className={classes.edit}>
      <Stack gap="md">
        <TaskFieldsView
          fields={{ ...fieldsOf(task), ...edits }}
          write={(change) => keep({ version, ...edits, ...change })}
          problem={problem}
        />
        {problem && problem.status !== 412 && <Refusal problem={problem} fields={taskFields} />}
        {problem?.status === 412 && (
          <Text size="sm" c="var(--urgency-overdue-text)" role="alert">
            This task was changed since you began. What you wrote is kept: look at it again, then save.
          </Text>
        )}
        {changes !== null && (
          <Group gap="sm">
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <Button variant="default" onClick={settle} disabled={save.isPending}>
              Discard
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
