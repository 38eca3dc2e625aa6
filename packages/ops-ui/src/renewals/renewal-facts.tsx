import { Button, Group, Switch, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf } from '../parts/dates.tsx';
import { GiveTo } from '../parts/give-to.tsx';
import { tell } from '../parts/told.tsx';
import { useAssign, useRenewalChanges } from './renewal-changes.ts';
import classes from './renewal-drawer.module.css';
import { isOpen } from './renewal-words.ts';

const fields = ['due_date', 'policy_id', 'notes'] as const;
type Typed = Record<(typeof fields)[number], string>;

/** What may be changed: agent and reminders at once, what is typed when it is saved. */
export function RenewalFacts({ renewal }: { renewal: Renewal }) {
  const { change } = useRenewalChanges();
  const assign = useAssign(useAgentNames());
  /** Over what is stored, which may change meanwhile. */
  const [typed, setTyped] = useState<Partial<Typed>>({});
  const stored = { due_date: renewal.due_date, policy_id: renewal.policy_id ?? '', notes: renewal.notes ?? '' };
  const changed = fields.filter((name) => typed[name] !== undefined && typed[name] !== stored[name]);
  const valuesOf = (values: Partial<Typed>) =>
    Object.fromEntries(changed.map((name) => [name, values[name]?.trim() || null])) as Partial<Renewal>;
  const problem = change.error === null ? undefined : asProblem(change.error);
  const field = (name: keyof Typed) => ({
    value: typed[name] ?? stored[name],
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      setTyped((before) => ({ ...before, [name]: currentTarget.value })),
    error: problem?.field(name),
  });
  const save = () =>
    change.mutate(
      { seen: renewal, by: valuesOf(typed) },
      {
        onSuccess: (after) => {
          setTyped({});
          tell(changed.includes('due_date') ? `Due ${dayOf(after.due_date)} from now on.` : 'Saved.', () =>
            change.mutate({ seen: after, by: valuesOf(stored) }),
          );
        },
      },
    );
  return (
    <form
      className={classes.facts}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextInput type="date" label="Due date" required disabled={!isOpen(renewal)} {...field('due_date')} />
      <GiveTo
        label="Agent"
        value={assign.isPending ? assign.variables.agent : renewal.assigned_agent}
        disabled={!isOpen(renewal)}
        // It keeps the focus while it can do nothing.
        aria-disabled={assign.isPending}
        onChange={(agent) => !assign.isPending && assign.mutate({ renewals: [renewal], agent })}
      />
      <TextInput label="Policy or permit" className={classes.wide} maxLength={200} {...field('policy_id')} />
      <Textarea label="Notes" className={classes.wide} autosize minRows={2} maxRows={8} {...field('notes')} />
      {changed.length > 0 && (
        <Group className={classes.wide} gap="sm">
          <Button type="submit" loading={change.isPending}>
            Save
          </Button>
          <Button variant="subtle" color="gray" onClick={() => setTyped({})}>
            Discard
          </Button>
        </Group>
      )}
      {isOpen(renewal) && (
        <Switch
          className={classes.wide}
          label="The customer is reminded automatically"
          checked={renewal.reminders === 'on'}
          aria-disabled={change.isPending}
          onChange={({ currentTarget }) =>
            !change.isPending &&
            change.mutate({ seen: renewal, by: { reminders: currentTarget.checked ? 'on' : 'off' } })
          }
        />
      )}
    </form>
  );
}
