import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Unmatched } from '../api/types.ts';
import { createCustomer } from '../customers/create-customer.ts';
import { spoken } from '../customers/opt-out-words.ts';
import { useNewDraft } from '../parts/new-draft.ts';
import { Refusal } from '../parts/refusal.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './unmatched.module.css';
import { reachedBy } from './unmatched.ts';
import { link } from './unmatched-actions.ts';

/** The sender becomes a customer, and the message theirs. */
export function NewCustomer({ message }: { message: Unmatched }) {
  const empty = { id: '', name: message.sender.name ?? '' };
  const { draft, write, keyOf, forget } = useNewDraft(`customer of ${message.id}`, empty);
  const [id, name] = [draft.id.trim(), draft.name.trim()];
  const reached = reachedBy(message);
  const make = useMutation({
    mutationFn: () => {
      const known = { ...(id !== '' && { id }), name, ...reached, preferred_channel: message.type };
      const body = { ...known, do_not_contact: false };
      return createCustomer(keyOf(body), body);
    },
    onSuccess: (customer) => {
      forget();
      return link(message.id, customer);
    },
  });
  const problem = make.error && asProblem(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name !== '') make.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        ref={takeFocus}
        label="Customer id"
        description="Left empty, the next number"
        value={draft.id}
        onChange={({ currentTarget }) => write({ id: currentTarget.value })}
        error={problem?.field('id')}
        maxLength={64}
        autoComplete="off"
      />
      <TextInput
        label="Name"
        description={`${[...reached.phones, ...reached.emails].join(', ') || unreached(message)}; prefers ${spoken[message.type]}`}
        value={draft.name}
        onChange={({ currentTarget }) => write({ name: currentTarget.value })}
        error={problem?.field('name')}
        required
        maxLength={200}
        autoComplete="off"
      />
      <Group gap="sm">
        <Button type="submit" loading={make.isPending}>
          Create and link
        </Button>
      </Group>
      {problem && !problem.field('id') && !problem.field('name') && <Refusal problem={problem} fields={[]} />}
    </form>
  );
}

const unreached = ({ reason }: Unmatched): string =>
  reason === 'unverified' ? 'Without an address: this one may be forged' : 'Reached on the messaging app';
