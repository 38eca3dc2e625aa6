import { Autocomplete, Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail, PutCustomer } from '../api/types.ts';
import { AgentSelect } from '../parts/agents.tsx';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import { useIsThere } from '../parts/use-is-there.ts';
import { createCustomer } from './create-customer.ts';
import { customerQuery } from './customer-queries.ts';
import classes from './unknown-customer.module.css';
import { WatchedFor } from './watched-for.tsx';

const empty = {
  name: '',
  phones: '',
  emails: '',
  locale: '',
  time_zone: '',
  assigned_agent: null as string | null,
};
type Draft = typeof empty;

const fieldsShown = ['name', 'phones', 'phones.*', 'emails', 'emails.*', 'locale', 'time_zone', 'assigned_agent'];

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
  const { draft, write, forget } = useNewDraft(`customer ${id}`, empty);
  const make = useMakeCustomer(id, forget);
  const problem = make.error && asProblem(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate(asSent(draft));
  };
  const field = (name: 'name' | 'phones' | 'emails' | 'locale') => ({
    value: draft[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => write({ [name]: currentTarget.value }),
    error: problem?.lines(name),
  });
  return (
    <Stack component="form" gap="md" onSubmit={submit as never} aria-label="Create this customer">
      <TextInput label="Name" required maxLength={200} autoComplete="off" {...field('name')} />
      <Textarea
        label="Phones"
        description="With country code, one on each line; the first is written to"
        autosize
        {...field('phones')}
      />
      <Textarea label="E-mails" description="One on each line; the first is written to" autosize {...field('emails')} />
      <div className={classes.pair}>
        <TextInput label="Language" description="Such as en or de-CH" maxLength={35} {...field('locale')} />
        <Autocomplete
          label="Time zone"
          description="Such as Europe/Zurich"
          value={draft.time_zone}
          onChange={(time_zone) => write({ time_zone })}
          data={timeZones}
          limit={mostZones}
          error={problem?.field('time_zone')}
        />
      </div>
      <AgentSelect
        label="Agent"
        value={draft.assigned_agent}
        onChange={(assigned_agent) => write({ assigned_agent })}
        error={problem?.field('assigned_agent')}
      />
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
function useMakeCustomer(id: string, forget: () => void) {
  const queries = useQueryClient();
  const isThere = useIsThere();
  return useMutation({
    mutationFn: (details: PutCustomer) => createCustomer(id, details),
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

const timeZones = Intl.supportedValuesOf('timeZone');
const mostZones = 20;

const asSent = ({ name, phones, emails, locale, time_zone, assigned_agent }: Draft): PutCustomer => ({
  name: name.trim(),
  phones: linesOf(phones),
  emails: linesOf(emails),
  locale: locale.trim() || null,
  time_zone: time_zone.trim() || null,
  assigned_agent,
  do_not_contact: false,
});

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
