import { Text } from '@mantine/core';
import type { Customer } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { caution, type Kind } from './compose.ts';
import type { Room } from './template-rules.ts';

/** Only what stops a message is spoken: the count changes with every letter. */
export const RoomLeft = ({ count, problem }: Room) => (
  <Text size="xs" c={problem ? 'var(--urgency-overdue-text)' : 'var(--composer-quiet)'}>
    {count} <span role="status">{problem}</span>
  </Text>
);

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
      <Text size="xs" c="var(--urgency-overdue-text)">
        {warning}
      </Text>
    );
  if (kind === 'INTERNAL_NOTE')
    return (
      <Text size="xs" c="var(--note-text)">
        Stays inside: staff alone see it.
      </Text>
    );
  if (kind !== 'MESSAGING_APP') return null;
  return (
    <Text size="xs" c="var(--composer-quiet)">
      {openUntil
        ? `Free text is possible until ${instantOf(openUntil)}.`
        : 'The customer did not write within 24 hours: the provider takes an approved template only.'}
    </Text>
  );
}
