import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { WebhookDeliveryDetail } from '../api/types.ts';
import { exactly } from '../parts/dates.tsx';
import { Drawer } from '../parts/drawer.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { tell, tellProblem } from '../parts/told.tsx';
import classes from './settings.module.css';
import { WebhookOutcome } from './webhook-outcome.tsx';
import { webhookQuery } from './webhook-queries.ts';
import { outcomeWords, providerNames } from './webhook-words.ts';
import own from './webhooks.module.css';

/** One delivery with what was found in it. */
export function WebhookDrawer({ id, close }: { id: string; close(): void }) {
  const { data, error, isPending, refetch } = useQuery(webhookQuery(id));
  const title = data ? `From ${providerNames[data.provider]}` : 'Delivery';
  return (
    <Drawer title={title} label={title} close={close}>
      {isPending && <Loading />}
      {error && <Failed problem={asProblem(error)} again={refetch} />}
      {data && <Detail delivery={data} />}
    </Drawer>
  );
}

function Detail({ delivery }: { delivery: WebhookDeliveryDetail }) {
  const { reason, repeats, received_at, processed_at, found, redacted } = delivery;
  return (
    <div className={classes.form}>
      <div>
        <WebhookOutcome delivery={delivery} />
        {reason && <p className={own.reason}>{reason}</p>}
        <p className={own.fact}>Came {exactly(received_at)}</p>
        <p className={own.fact}>Read {exactly(processed_at)}</p>
        {repeats > 0 && (
          <p className={own.fact}>The provider sent the same {repeats === 1 ? 'once' : `${repeats} times`} more.</p>
        )}
      </div>
      <section aria-labelledby="found">
        <h3 id="found" className={own.heading}>
          Found in it: {found.length}
        </h3>
        <ul className={own.found}>
          {found.map((item) => (
            <li key={item.id}>
              <span>{item.kind}</span>
              <span className={own.external}>{item.external_id}</span>
              {item.outcome === 'not_understood' && (
                <span className={classes.missing}>Not understood{item.reason && `: ${item.reason}`}</span>
              )}
            </li>
          ))}
        </ul>
      </section>
      {redacted ? (
        <p className={own.fact}>What was posted is gone, its time of keeping is over: it cannot be read again.</p>
      ) : (
        <Reprocess id={delivery.id} />
      )}
    </div>
  );
}

function Reprocess({ id }: { id: string }) {
  const queries = useQueryClient();
  const reprocess = useMutation({
    mutationFn: (key: string) =>
      dataOf(
        api.POST('/ops/webhook-deliveries/{id}/reprocess', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    onSuccess: ({ outcome }) => {
      tell(`Read once more: ${outcomeWords[outcome].toLowerCase()}.`);
      return queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
    onError: tellProblem,
  });
  return (
    <div>
      <Button variant="default" loading={reprocess.isPending} onClick={() => reprocess.mutate(crypto.randomUUID())}>
        Read it again
      </Button>
      <p className={own.fact}>What was taken from it before is not taken twice.</p>
    </div>
  );
}
