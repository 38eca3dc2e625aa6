import { Button, Group, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Unmatched } from '../api/types.ts';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './unmatched.module.css';
import { reachedBy } from './unmatched.ts';
import { createCustomer, link } from './unmatched-actions.ts';

/** The sender becomes a customer, and the message theirs. */
export function NewCustomer({ message }: { message: Unmatched }) {
  const [id, setId] = useState('');
  const [name, setName] = useState(message.sender.name ?? '');
  const reached = reachedBy(message);
  const make = useMutation({
    mutationFn: () => createCustomer({ id: id.trim(), name: name.trim(), ...reached }),
    onSuccess: () => link(message.id, { id: id.trim(), name: name.trim() }),
  });
  const problem = make.error && asProblem(make.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() !== '' && name.trim() !== '') make.mutate();
  };
  return (
    <form className={classes.form} onSubmit={submit}>
      <TextInput
        ref={takeFocus}
        label="Customer id"
        description="As the firm numbers its customers"
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        error={problem?.field('id')}
        required
        maxLength={64}
        autoComplete="off"
      />
      <TextInput
        label="Name"
        description={[...reached.phones, ...reached.emails].join(', ') || 'Reached on the messaging app'}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={problem?.field('name')}
        required
        maxLength={200}
        autoComplete="off"
      />
      <Group gap="sm">
        <Button type="submit" loading={make.isPending}>
          Create and link
        </Button>
        {problem && !problem.field('id') && !problem.field('name') && (
          <Text size="sm" c="var(--urgency-overdue-text)" role="alert">
            {problem.message}
          </Text>
        )}
      </Group>
    </form>
  );
}
