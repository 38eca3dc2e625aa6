import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { CustomerDetail } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { takeFocus } from '../parts/take-focus.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { useOpener } from '../parts/use-opener.ts';
import { counted } from '../parts/words.ts';
import { useOpenRenewals } from '../renewals/open-count.ts';
import { customerQuery } from './customer-queries.ts';
import classes from './workspace.module.css';

/** A customer who is one no more, and one again. */
export function Archive({ customer }: { customer: CustomerDetail }) {
  const { name, archived_at, waiting_since } = customer;
  const watched = Number(useOpenRenewals(customer.id) ?? 0);
  const { isOpen: isAsked, open, close, ref } = useOpener();
  const { isPending, archive, restore } = useArchiving(customer);
  const isFormer = archived_at !== null;
  const begin = () => (watched > 0 || waiting_since !== null ? open() : archive());
  return (
    <section aria-label="Former customer">
      <h2 className={classes.subtitle}>Former customer</h2>
      <Text size="sm" c="var(--text-quiet)">
        {isFormer
          ? `${name} is a former customer since ${instantOf(archived_at)}: in no list, still found, and what they write still comes here and waits for an answer.`
          : 'Whoever is a customer no more leaves the lists. They are still found, and what they write still comes here and waits for an answer.'}
        {isFormer && watched > 0 && ` ${stillWatched(watched)}`}
      </Text>
      <Button
        ref={ref}
        size="compact-sm"
        variant="default"
        mt={8}
        aria-expanded={isFormer ? undefined : isAsked}
        aria-disabled={isPending}
        onClick={() => !isPending && (isFormer ? restore() : begin())}
      >
        {isFormer ? 'A customer again' : 'Archive…'}
      </Button>
      {isAsked && !isFormer && (
        <fieldset aria-label={`Archive ${name}?`} className={classes.decide}>
          {watched > 0 && (
            <Text size="sm" fw={600} mt={8}>
              {stillWatched(watched)}
            </Text>
          )}
          {waiting_since !== null && (
            <Text size="sm" fw={600} mt={8}>
              {name} waits for an answer, and goes on waiting.
            </Text>
          )}
          <Group gap="sm" mt={8}>
            <Button
              ref={takeFocus}
              size="compact-sm"
              onClick={() => {
                close();
                archive();
              }}
            >
              Archive all the same
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={close}>
              Cancel
            </Button>
          </Group>
        </fieldset>
      )}
    </section>
  );
}

const stillWatched = (count: number): string =>
  `${counted(count, 'renewal')} ${count === 1 ? 'is' : 'are'} still watched, and alert${count === 1 ? 's' : ''} as before.`;

function useArchiving({ id, name }: CustomerDetail) {
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: (archived: boolean) =>
      dataOf(api.PATCH('/ops/customers/{id}', { params: { path: { id } }, body: { archived } })),
    onSuccess: () =>
      Promise.all(
        [customerQuery(id).queryKey, ['customers'], ['attention']].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      ),
    onError: tellProblem,
  });
  const restore = () => set.mutate(false, { onSuccess: () => tell(`${name} is a customer again.`) });
  const archive = () => set.mutate(true, { onSuccess: () => tell(`${name} is a former customer now.`, restore) });
  return { isPending: set.isPending, archive, restore };
}
