import { Button, Code, CopyButton, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { ProblemError } from '../api/problem.ts';

/** Nothing flickers by: what is there at once shows no skeleton first. */
const patienceMs = 150;

export function Loading({ rows = 4, height = 20 }: { rows?: number; height?: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Stack p="lg" gap="md" aria-busy="true" aria-label="Loading" role="status">
      {late && Array.from({ length: rows }, (_, n) => <Skeleton key={n} height={height} />)}
    </Stack>
  );
}

export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" p="xl" gap="md">
      <Text c="var(--text-quiet)" ta="center">
        {children}
      </Text>
      {action}
    </Stack>
  );
}

/** What happened, what to do, and what to tell whoever can help. */
export function Failed({ problem, again }: { problem: ProblemError; again?: () => unknown }) {
  return (
    <Stack align="flex-start" p="lg" gap="sm" role="alert">
      <Text fw={600}>{problem.problem.title ?? 'The service could not be reached'}</Text>
      <Text>{problem.message}</Text>
      <Group gap="sm">
        {again && (
          <Button size="compact-sm" variant="default" onClick={() => again()}>
            Try again
          </Button>
        )}
        {problem.problem.request_id && <RequestId id={problem.problem.request_id} />}
      </Group>
    </Stack>
  );
}

const RequestId = ({ id }: { id: string }) => (
  <CopyButton value={id}>
    {({ copied, copy }) => (
      <Button size="compact-sm" variant="subtle" onClick={copy}>
        {copied ? 'Copied' : 'Copy the request id'} <Code ml={6}>{id.slice(0, 8)}</Code>
      </Button>
    )}
  </CopyButton>
);
