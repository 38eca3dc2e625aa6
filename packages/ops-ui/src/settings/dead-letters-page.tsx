import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { api, dataOf } from '../api/client.ts';
import type { DeadLetter } from '../api/types.ts';
import { When } from '../parts/dates.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import { tell, tellProblem } from '../parts/told.tsx';
import { countAgainMs, deadLetterPageSize, deadLettersQuery } from './dead-letter-queries.ts';
import { ForAdmins, Section } from './section.tsx';
import { type ServiceName, serviceLabels, serviceNames } from './service-names.ts';
import classes from './settings.module.css';

const route = getRouteApi('/settings/dead-letters');
const [firstService = 'comms-service'] = serviceNames;

/** What a part of the system gave up on, to be given to it once more when the reason is gone. */
export const DeadLettersPage = () => (
  <ForAdmins>
    <Section
      title="Dead letters"
      words="Events that a service gave up on after trying for a while. Once the reason is gone, replay them: nothing is taken twice."
      filters={<Filters />}
    >
      <List />
    </Section>
  </ForAdmins>
);

function Filters() {
  const { service = firstService, replayed = false } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <SegmentedControl
        className={classes.wrapping}
        value={service}
        onChange={(value) => navigate({ search: (before) => ({ ...before, service: value as ServiceName }) })}
        data={serviceNames.map((name) => ({
          value: name,
          label: (
            <>
              {serviceLabels[name]} <Waiting service={name} />
            </>
          ),
        }))}
        aria-label="Which service"
      />
      <SegmentedControl
        value={replayed ? 'replayed' : 'waiting'}
        onChange={(value) =>
          navigate({ search: (before) => ({ ...before, replayed: value === 'replayed' || undefined }) })
        }
        data={[
          { value: 'waiting', label: 'Waiting' },
          { value: 'replayed', label: 'Replayed' },
        ]}
        aria-label="Which dead letters"
      />
    </>
  );
}

/** How many of a service wait, so that nobody has to look at each. */
function Waiting({ service }: { service: ServiceName }) {
  const { data } = useInfiniteQuery({ ...deadLettersQuery(service, false), refetchInterval: countAgainMs });
  const count = data?.pages[0]?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className={classes.missing}>
      {count < deadLetterPageSize ? count : `${count} or more`}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}

function List() {
  const { service = firstService, replayed = false } = route.useSearch();
  const query = useInfiniteQuery(deadLettersQuery(service, replayed));
  return (
    <Listed
      query={query}
      empty={replayed ? 'Nothing was replayed.' : 'Nothing waits here: this service took every event.'}
    >
      {(letters) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>Event</th>
              <th>About</th>
              <th>Error</th>
              <th className={classes.number}>Tries</th>
              <th>Given up</th>
              <th>{replayed ? 'Replayed' : <span className="visually-hidden">Replay</span>}</th>
            </tr>
          </thead>
          <tbody>
            {letters.map((letter) => (
              <Row key={letter.id} letter={letter} service={service} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ letter, service }: { letter: DeadLetter; service: ServiceName }) {
  const { event_type, subject, queue, error, attempts, failed_at, replayed_at } = letter;
  return (
    <tr>
      <td data-label="Event" title={queue}>
        {event_type}
      </td>
      <td data-label="About">{subject}</td>
      <td data-label="Error" className={classes.error}>
        {error}
      </td>
      <td data-label="Tries" className={classes.number}>
        {attempts}
      </td>
      <td data-label="Given up" className={classes.whole}>
        <When at={failed_at} />
      </td>
      <td data-label="Replay">
        {replayed_at ? <When at={replayed_at} /> : <Replay letter={letter} service={service} />}
      </td>
    </tr>
  );
}

function Replay({ letter: { id, event_type, subject }, service }: { letter: DeadLetter; service: ServiceName }) {
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: (key: string) =>
      dataOf(
        api.POST('/ops/services/{name}/dead-letters/{id}/replay', {
          params: { path: { name: service, id }, header: { 'Idempotency-Key': key } },
        }),
      ),
    onSuccess: () => {
      tell('It is on its way once more. Should it fail again, it comes back here.');
      return queries.invalidateQueries({ queryKey: ['dead-letters', service] });
    },
    onError: tellProblem,
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={replay.isPending}
      onClick={() => replay.mutate(crypto.randomUUID())}
      aria-label={`Replay ${event_type} about ${subject}`}
    >
      Replay
    </Button>
  );
}
