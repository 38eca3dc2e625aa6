import { Button, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useIdempotencyKey } from '../api/idempotency.ts';
import { asProblem } from '../api/problem.ts';
import { CustomerPicker } from '../customers/customer-picker.tsx';
import { AgentSelect } from '../parts/agents.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { tell } from '../parts/told.tsx';
import { useServiceTypes } from './service-types.ts';

interface CreateDrawerProps {
  /** Of this customer; without, of one to be chosen. */
  customerId?: string;
  made(id: string): void;
  close(): void;
}

/** An expiry date to be watched from now on. */
export function CreateDrawer({ customerId, made, close }: CreateDrawerProps) {
  const types = useServiceTypes();
  const queries = useQueryClient();
  const [customer, setCustomer] = useState(customerId ?? null);
  const [serviceType, setServiceType] = useState('');
  const [agent, setAgent] = useState<string | null>(null);
  const keyOf = useIdempotencyKey();
  const create = useMutation({
    mutationFn: (form: FormData) => {
      const body = {
        service_type: serviceType || (types[0]?.code ?? ''),
        due_date: String(form.get('due_date')),
        policy_id: textOf(form, 'policy_id'),
        notes: textOf(form, 'notes'),
        assigned_agent: agent,
      };
      const path = { id: customer ?? '' };
      const header = { 'Idempotency-Key': keyOf([path, body]) };
      return dataOf(api.POST('/ops/customers/{id}/renewals', { params: { path, header }, body }));
    },
    onSuccess: async ({ id }) => {
      tell('Watched from now on.');
      made(id);
      await Promise.all(
        ['renewals', 'customer-renewals'].map((root) => queries.invalidateQueries({ queryKey: [root] })),
      );
    },
  });
  const problem = create.error && asProblem(create.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget));
  };
  return (
    <Drawer title="Watch a date" label="A date to be watched" close={close}>
      <Stack component="form" gap="md" onSubmit={submit as never}>
        {customerId === undefined && (
          <CustomerPicker label="Customer" value={customer} onPick={({ id }) => setCustomer(id)} />
        )}
        <NativeSelect
          label="Service"
          value={serviceType}
          onChange={({ currentTarget }) => setServiceType(currentTarget.value)}
          data={types.map(({ code, label }) => ({ value: code, label }))}
          error={problem?.field('service_type')}
        />
        <TextInput type="date" name="due_date" label="Due date" required error={problem?.field('due_date')} />
        <TextInput name="policy_id" label="Policy or permit" maxLength={200} error={problem?.field('policy_id')} />
        <AgentSelect label="Agent" value={agent} onChange={setAgent} />
        <Textarea name="notes" label="Notes" autosize minRows={2} error={problem?.field('notes')} />
        {problem && (
          <Text role="alert" c="var(--urgency-overdue-text)">
            {problem.message}
          </Text>
        )}
        <Button type="submit" loading={create.isPending} disabled={customer === null}>
          Watch it
        </Button>
      </Stack>
    </Drawer>
  );
}

const textOf = (form: FormData, name: string): string | null => String(form.get(name) ?? '').trim() || null;
