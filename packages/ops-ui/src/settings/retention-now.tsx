import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { RetentionRun } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import classes from './retention.module.css';
import { RetentionPlaces } from './retention-places.tsx';
import { rowsOf } from './retention-words.ts';

/** Nobody removes what they have not counted: it cannot be taken back. */
export function RetentionNow() {
  const queries = useQueryClient();
  const run = useMutation({
    mutationFn: ({ dry_run, key }: { dry_run: boolean; key: string }) =>
      dataOf(
        api.POST('/ops/retention/runs', {
          params: { query: { dry_run: dry_run ? 'true' : 'false' }, header: { 'Idempotency-Key': key } },
        }),
      ),
    onSuccess: (result) => {
      if (!result.dry_run) tell(`Removed: ${rowsOf(result)}.`);
      return queries.invalidateQueries({ queryKey: ['retention', 'runs'] });
    },
    onError: tellProblem,
  });
  const start = (dry_run: boolean) => run.mutate({ dry_run, key: crypto.randomUUID() });
  const counted = run.data?.dry_run ? run.data : undefined;
  return (
    <section className={classes.now} aria-labelledby="retention-now">
      <h3 id="retention-now" className={classes.heading}>
        Remove what is past its time now
      </h3>
      <p className={classes.quiet}>It goes by the days that are saved. Count it first.</p>
      <Button variant="default" loading={run.isPending} onClick={() => start(true)}>
        Count what would go
      </Button>
      {counted && <Counted run={counted} remove={() => start(false)} isRemoving={run.isPending} keep={run.reset} />}
    </section>
  );
}

interface CountedProps {
  run: RetentionRun;
  isRemoving: boolean;
  remove(): void;
  keep(): void;
}

function Counted({ run, isRemoving, remove, keep }: CountedProps) {
  const rows = rowsOf(run);
  return (
    <div className={classes.counted} role="status">
      <p>{rows === 0 ? 'Nothing is past its time.' : `${rows} would go, for good:`}</p>
      <RetentionPlaces places={run.places} />
      {run.failure && <p className={classes.failure}>{run.failure}</p>}
      {rows > 0 && (
        <Group gap="sm">
          <Button color="red" loading={isRemoving} onClick={remove}>
            Remove {rows} for good
          </Button>
          <Button variant="default" disabled={isRemoving} onClick={keep}>
            Keep them
          </Button>
        </Group>
      )}
    </div>
  );
}
