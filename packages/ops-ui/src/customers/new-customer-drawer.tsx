import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { asProblem } from '../api/problem.ts';
import { Drawer } from '../parts/drawer.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { createCustomer } from './create-customer.ts';
import { asSent, CustomerFields, emptyCustomer, fieldsShown } from './customer-fields.tsx';
import { beginningOf } from './customers-search.ts';

interface NewCustomerDrawerProps {
  /** What somebody looked for and did not find. */
  typed: string | undefined;
  made(id: string): void;
  close(): void;
}

/** Somebody whom the firm did not know. */
export function NewCustomerDrawer({ typed = '', made, close }: NewCustomerDrawerProps) {
  const empty = { id: '', ...emptyCustomer, ...beginningOf(typed) };
  const { draft, write, keyOf, forget } = useNewDraft(`customer called ${typed}`, empty);
  const queries = useQueryClient();
  const isThere = useIsThere();
  const make = useMutation({
    mutationFn: () => {
      const id = draft.id.trim();
      const body = { ...(id !== '' && { id }), ...asSent(draft) };
      return createCustomer(keyOf(body), body);
    },
    onSuccess: ({ id, name }) => {
      forget();
      tell(`${name} is a customer now, as ${id}.`);
      if (isThere()) made(id);
      void queries.invalidateQueries({ queryKey: ['customers'] });
    },
    onError: (error) => {
      if (!isThere()) tellProblem(error);
    },
  });
  const problem = make.error && asProblem(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Drawer title="New customer" label="Somebody new" close={close}>
      <Stack component="form" gap="md" onSubmit={submit as never}>
        <CustomerFields draft={draft} write={write} problem={problem} isNew />
        <TextInput
          label="Customer id"
          description="Left empty, the next number"
          value={draft.id}
          onChange={({ currentTarget }) => write({ id: currentTarget.value })}
          error={problem?.field('id')}
          maxLength={64}
          autoComplete="off"
        />
        {problem && <Refusal problem={problem} fields={['id', ...fieldsShown]} />}
        <Button type="submit" loading={make.isPending}>
          Create the customer
        </Button>
      </Stack>
    </Drawer>
  );
}
