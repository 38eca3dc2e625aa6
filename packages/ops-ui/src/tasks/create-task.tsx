import { Button, Group, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { AgentSelect } from '../parts/agents.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { useMe } from '../session/session.ts';
import { type TaskFields, written } from './task.ts';
import { createTask } from './task-actions.ts';
import { TaskFieldsView, taskFields } from './task-fields.tsx';

interface Draft extends TaskFields {
  customer_id: string | null;
  assigned_agent: string | null;
}

/** For the customer one is at, or for one that is looked for here. */
export function CreateTask({ customerId, close }: { customerId?: string | undefined; close(): void }) {
  const me = useMe();
  const empty: Draft = {
    title: '',
    notes: '',
    priority: 'NORMAL',
    due_date: '',
    customer_id: customerId ?? null,
    assigned_agent: me.sub,
  };
  const { draft, write, keyOf, forget } = useNewDraft(`task ${customerId ?? ''}`, empty);
  const isThere = useIsThere();
  const [tried, setTried] = useState(false);
  const make = useMutation({
    mutationFn: (customer_id: string) => {
      const task = { ...written(draft), customer_id, assigned_agent: draft.assigned_agent };
      return createTask(task, keyOf(task));
    },
    onSuccess: () => {
      forget();
      if (isThere()) close();
    },
    onError: (error) => {
      if (!isThere()) tellProblem(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (draft.customer_id !== null && draft.title.trim() !== '') make.mutate(draft.customer_id);
  };
  const problem = make.error && asProblem(make.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {customerId === undefined && (
          <CustomerPicker
            label="Customer"
            value={draft.customer_id}
            onPick={({ id }) => write({ customer_id: id })}
            error={tried && draft.customer_id === null ? 'Choose for whom it is.' : problem?.field('customer_id')}
          />
        )}
        <TaskFieldsView
          fields={draft}
          write={write}
          problem={problem}
          titleError={tried && draft.title.trim() === '' ? 'Say what is to be done.' : undefined}
        />
        <AgentSelect
          label="Agent"
          value={draft.assigned_agent}
          onChange={(assigned_agent) => write({ assigned_agent })}
          error={problem?.field('assigned_agent')}
        />
        {problem && <Refusal problem={problem} fields={[...taskFields, 'customer_id', 'assigned_agent']} />}
        <Group gap="sm">
          <Button type="submit" loading={make.isPending}>
            Create task
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
