import { CloseButton, Group, Text } from '@mantine/core';
import type { Customer } from '../api/types.ts';
import { type Answered, answerWords } from './compose.ts';

interface AnsweredProps {
  answered: Answered | null;
  customer: Customer;
  drop(): void;
}

/** Which message the words answer, and where they go by that. */
export function AnsweredLine({ answered, customer, drop }: AnsweredProps) {
  if (!answered) return null;
  return (
    <Group gap="xs" wrap="nowrap" role="status">
      <Text size="xs" c="var(--composer-quiet)">
        {answerWords(answered, customer)}
      </Text>
      <CloseButton size="xs" onClick={drop} aria-label="Answer nothing: write anew" title="Esc" />
    </Group>
  );
}
