import { Text } from '@mantine/core';
import type { Customer } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { caution, type Draft, type Kind } from './compose.ts';
import classes from './composer.module.css';
import { stillNamed } from './mentions.ts';
import type { Room } from './template-rules.ts';

/** Only what stops a message is spoken: the count changes with every letter. */
export const RoomLeft = ({ count, problem }: Room) => (
  <Text size="xs" c={problem ? 'var(--urgency-overdue-text)' : 'var(--composer-quiet)'}>
    {count} <span role="status">{problem}</span>
  </Text>
);

/** Whom a note tells of itself. */
export function Told({ kind, draft }: { kind: Kind; draft: Draft }) {
  const named = kind === 'INTERNAL_NOTE' ? stillNamed(draft.body, draft.mentions) : [];
  if (named.length === 0) return null;
  return (
    <Text size="xs" c="var(--note-text)" role="status">
      Tells {named.map(({ name }) => name).join(', ')} by a task.
    </Text>
  );
}

interface HintProps {
  kind: Kind;
  customer: Customer;
  openUntil: string | null;
}

/** Whatever a person should know before they write. */
export function Hint({ kind, customer, openUntil }: HintProps) {
  const warning = caution(kind, customer);
  if (warning)
    return (
      <Text size="xs" c="var(--urgency-overdue-text)" className={classes.hint}>
        {warning}
      </Text>
    );
  if (kind === 'INTERNAL_NOTE')
    return (
      <Text size="xs" c="var(--note-text)" className={classes.hint}>
        Stays inside: staff alone see it.
      </Text>
    );
  if (kind !== 'MESSAGING_APP') return null;
  return (
    <Text size="xs" c="var(--composer-quiet)" className={classes.hint}>
      {openUntil
        ? `Free text is possible until ${instantOf(openUntil)}.`
        : 'The customer did not write within 24 hours: the provider takes an approved template only.'}
    </Text>
  );
}
