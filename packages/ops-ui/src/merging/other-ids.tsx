import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail } from '../api/types.ts';
import classes from '../customers/workspace.module.css';
import { ActButton } from '../parts/act-button.tsx';
import { inOwnDays } from '../parts/dates.tsx';
import { useOpener } from '../parts/use-opener.ts';
import { takeApart } from './merge-actions.ts';

/** By which other ids the customer was entered, and the way to one more. */
export function OtherIds({ customer: { id, merged_from } }: { customer: CustomerDetail }) {
  return (
    <section aria-label="Entered twice">
      <h2 className={classes.subtitle}>Entered twice</h2>
      {merged_from.map((alias) => (
        <OtherId key={alias} alias={alias} id={id} />
      ))}
      <Anchor renderRoot={(props) => <Link to="/customers/$id/merge" params={{ id }} {...props} />} size="sm">
        Merge with another customer…
      </Anchor>
    </section>
  );
}

function OtherId({ alias, id }: { alias: string; id: string }) {
  const { isOpen: asks, open, close, ref } = useOpener();
  const apart = useMutation({
    mutationFn: () => takeApart(alias, id),
    // The line goes, and what was pressed with it.
    onSuccess: () => document.getElementById('content')?.focus({ preventScroll: true }),
  });
  const leave = () => {
    apart.reset();
    close();
  };
  return (
    <>
      <Group gap="sm" my={4}>
        <Text size="sm">Also known as {alias}</Text>
        <Button
          ref={ref}
          size="compact-xs"
          variant="default"
          aria-expanded={asks}
          aria-label={`Take apart: ${alias}`}
          onClick={() => (asks ? leave() : open())}
        >
          Take apart…
        </Button>
      </Group>
      {asks && (
        <>
          <Text size="sm">
            {alias} becomes a customer of their own again, with what was theirs and what came under {alias} since.
          </Text>
          <Group gap="sm" my={4}>
            <ActButton size="compact-sm" isPending={apart.isPending} act={() => apart.mutate()}>
              Take {alias} apart
            </ActButton>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={leave}>
              Leave it
            </Button>
          </Group>
          {apart.error && (
            <Text size="sm" role="alert">
              Not taken apart. {inOwnDays(asProblem(apart.error).message)}
            </Text>
          )}
        </>
      )}
    </>
  );
}
