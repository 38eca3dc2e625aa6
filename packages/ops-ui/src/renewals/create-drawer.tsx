import { Button, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { AgentSelect } from '../parts/agents.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { AlreadyWatched, LikeIt, watchedInstead } from './already-watched.tsx';
import { useServiceTypes } from './service-types.ts';

interface CreateDrawerProps {
  /** Of this customer; without, of one to be chosen. */
  customerId?: string;
  made(id: string): void;
  close(): void;
}

interface Draft {
  customer_id: string | null;
  /** Empty: the first there is. */
  service_type: string;
  due_date: string;
  policy_id: string;
  notes: string;
  assigned_agent: string | null;
}

const empty: Draft = {
  customer_id: null,
  service_type: '',
  due_date: '',
  policy_id: '',
  notes: '',
  assigned_agent: null,
};

const fieldsShown = ['service_type', 'due_date', 'policy_id', 'notes', 'assigned_agent'];

/** An expiry date to be watched from now on. */
export function CreateDrawer({ customerId, made, close }: CreateDrawerProps) {
  const types = useServiceTypes();
  const queries = useQueryClient();
  const { draft, write, keyOf, forget } = useNewDraft(`renewal ${customerId ?? ''}`, empty);
  const { service_type, due_date, policy_id, notes, assigned_agent } = draft;
  const customer = customerId ?? draft.customer_id;
  const service = service_type || (types[0]?.code ?? '');
  const isThere = useIsThere();
  const create = useMutation({
    mutationFn: () => {
      const body = {
        service_type: service,
        due_date,
        assigned_agent,
        policy_id: policy_id.trim() || null,
        notes: notes.trim() || null,
      };
      const path = { id: customer ?? '' };
      const header = { 'Idempotency-Key': keyOf([path, body]) };
      return dataOf(api.POST('/ops/customers/{id}/renewals', { params: { path, header }, body }));
    },
    onSuccess: async ({ id }) => {
      forget();
      tell('Watched from now on.');
      if (isThere()) made(id);
      await Promise.all(
        ['renewals', 'customer-renewals'].map((root) => queries.invalidateQueries({ queryKey: [root] })),
      );
    },
    onError: (error) => {
      if (!isThere()) tellProblem(error);
    },
  });
  const problem = create.error && asProblem(create.error);
  const isWatched = problem !== null && watchedInstead(problem) !== undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  const field = (name: 'due_date' | 'policy_id' | 'notes') => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => write({ [name]: currentTarget.value }),
    error: problem?.field(name),
  });
  return (
    <Drawer title="Watch a date" label="A date to be watched" close={close}>
      <Stack component="form" gap="md" onSubmit={submit as never}>
        {customerId === undefined && (
          <CustomerPicker label="Customer" value={customer} onPick={({ id }) => write({ customer_id: id })} />
        )}
        <NativeSelect
          label="Service"
          value={service_type}
          onChange={({ currentTarget }) => write({ service_type: currentTarget.value })}
          data={types.map(({ code, label }) => ({ value: code, label }))}
          error={problem?.field('service_type')}
        />
        <TextInput type="date" label="Due date" required {...field('due_date')} />
        <TextInput label="Policy or permit" maxLength={200} {...field('policy_id')} />
        <AgentSelect
          label="Agent"
          value={assigned_agent}
          onChange={(agent) => write({ assigned_agent: agent })}
          error={problem?.field('assigned_agent')}
        />
        <Textarea label="Notes" autosize minRows={2} {...field('notes')} />
        {problem && <AlreadyWatched problem={problem} />}
        {problem && !isWatched && <Refusal problem={problem} fields={fieldsShown} />}
        {!isWatched && <LikeIt customerId={customer} service_type={service} due_date={due_date} />}
        <Button type="submit" loading={create.isPending} disabled={customer === null}>
          Watch it
        </Button>
      </Stack>
    </Drawer>
  );
}
