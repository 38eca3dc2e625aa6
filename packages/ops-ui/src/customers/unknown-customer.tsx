import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail, PutCustomer } from '../api/types.ts';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { createCustomer } from './create-customer.ts';
import { asSent, CustomerFields, emptyCustomer, fieldsShown } from './customer-fields.tsx';
import { customerQuery } from './customer-queries.ts';
import classes from './unknown-customer.module.css';
import { WatchedFor } from './watched-for.tsx';

/**
 * In place of a customer's page while nobody has described them: a policy or permit may be told of before its holder is.
 * Until they are, nobody can be written to.
 */
export default function UnknownCustomer({ id }: { id: string }) {
  return (
    <div className={classes.page}>
      <h1 className={classes.title}>Nobody has described customer {id} yet</h1>
      <WatchedFor customerId={id} />
      <CreateCustomer id={id} />
    </div>
  );
}

function CreateCustomer({ id }: { id: string }) {
  const { draft, write, keyOf, forget } = useNewDraft(`customer ${id}`, emptyCustomer);
  const make = useMakeCustomer(id, keyOf, forget);
  const problem = make.error && asProblem(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(asSent(draft));
  };
  return (
    <Stack component="form" gap="md" onSubmit={submit as never} aria-label="Create this customer">
      <CustomerFields draft={draft} write={write} problem={problem} />
      {problem && <Refusal problem={problem} fields={fieldsShown} />}
      <Group gap="sm">
        <Button type="submit" loading={make.isPending}>
          Create this customer
        </Button>
      </Group>
    </Stack>
  );
}

/** The page is the customer's as soon as there is one, whoever made them. */
function useMakeCustomer(id: string, keyOf: (body: unknown) => string, forget: () => void) {
  const queries = useQueryClient();
  const isThere = useIsThere();
  return useMutation({
    mutationFn: (details: PutCustomer) => createCustomer(keyOf(details), { id, ...details }),
    onSuccess: (customer: CustomerDetail) => {
      forget();
      tell(`${customer.name} is a customer now.`);
      queries.setQueryData(customerQuery(id).queryKey, customer);
      document.getElementById('content')?.focus({ preventScroll: true });
      for (const queryKey of [['customer', id, 'name'], ['customers'], ['renewals', 'queue']])
        queries.invalidateQueries({ queryKey });
    },
    onError: (error) => {
      const isTaken = asProblem(error).status === 409;
      if (isTaken || !isThere()) tellProblem(error);
      if (isTaken) queries.invalidateQueries(customerQuery(id));
    },
  });
}
