import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { CustomerDetail } from '../api/types.ts';
import { saveFile } from '../parts/save-file.ts';
import { tell } from '../parts/told.tsx';
import { useIsAdmin } from '../settings/section.tsx';
import { customerQuery } from './customer-queries.ts';
import classes from './workspace.module.css';

/** For whoever asks the firm what it holds of them. */
export function TakeAlong({ customer: { id, name } }: { customer: CustomerDetail }) {
  const isAdmin = useIsAdmin();
  const queries = useQueryClient();
  const taking = useMutation({
    mutationFn: () => dataOf(api.POST('/ops/customers/{id}/export', { params: { path: { id } }, parseAs: 'blob' })),
    onSuccess: (archive) => {
      saveFile(`customer-${id.replaceAll(':', '-')}.zip`, archive);
      tell(`All that is held of ${name} is saved.`);
      return queries.invalidateQueries({ queryKey: customerQuery(id).queryKey });
    },
  });
  if (!isAdmin) return null;
  return (
    <section aria-label="Everything we hold of this person">
      <h2 className={classes.subtitle}>Everything we hold of this person</h2>
      <Text size="sm" c="var(--text-quiet)">
        An archive to read and to hand over: what was said, notes included, files, renewals, tasks, and who changed
        what. It is written down that you took it.
      </Text>
      <Button size="compact-sm" variant="default" mt={8} loading={taking.isPending} onClick={() => taking.mutate()}>
        Export
      </Button>
      {taking.error && (
        <Text size="sm" role="alert">
          Not exported. {asProblem(taking.error).message}
        </Text>
      )}
    </section>
  );
}
