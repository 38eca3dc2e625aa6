import { useQuery } from '@tanstack/react-query';
import { asProblem } from '../api/problem.ts';
import type { Erasure } from '../api/types.ts';
import classes from '../customers/unknown-customer.module.css';
import { WatchedFor } from '../customers/watched-for.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf } from '../parts/dates.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import table from '../parts/table.module.css';
import { useTitle } from '../parts/title.tsx';
import { useIsAdmin } from '../settings/section.tsx';
import { type ServiceName, serviceLabels } from '../settings/service-names.ts';
import { erasureQuery } from './erasure-query.ts';

/** In place of a customer's page once they were erased: the id leads here for good. */
export default function ErasedCustomer({ id }: { id: string }) {
  useTitle(`${id}, erased`);
  return (
    <div className={classes.page}>
      <h1 className={classes.title}>Customer {id} was erased</h1>
      {useIsAdmin() ? <WithCertificate id={id} /> : <p>Nothing is kept of them, and nobody is given this id again.</p>}
      <WatchedFor customerId={id} />
    </div>
  );
}

function WithCertificate({ id }: { id: string }) {
  const { data, error, isPending, refetch } = useQuery(erasureQuery(id));
  if (isPending) return <Loading />;
  if (!data?.certificate) return <Failed problem={asProblem(error)} again={refetch} />;
  return <Shown certificate={data.certificate} />;
}

function Shown({ certificate }: { certificate: NonNullable<Erasure['certificate']> }) {
  const nameOf = useAgentNames();
  const { aliases, proposed_by, confirmed_by, erased_at, completed_at, places, digest } = certificate;
  return (
    <>
      <p>
        Proposed by {nameOf(proposed_by)}
        {confirmed_by !== null && `, confirmed by ${nameOf(confirmed_by)}`}, in effect since {instantOf(erased_at)}.{' '}
        {aliases.length > 0 && `With them went ${aliases.join(', ')}. `}
        {completed_at === null
          ? 'The services are still removing what there is.'
          : `Every service had nothing left at ${instantOf(completed_at)}.`}
      </p>
      <table className={table.table} aria-label="What was erased">
        <thead>
          <tr>
            <th>Where</th>
            <th>What</th>
            <th>Rows</th>
          </tr>
        </thead>
        <tbody>
          {places.map(({ service, place, rows }) => (
            <tr key={`${service} ${place}`}>
              <td data-label="Where">{serviceLabels[service as ServiceName]}</td>
              <td data-label="What">{place.replaceAll('_', ' ')}</td>
              <td data-label="Rows">{rows.toLocaleString()}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {digest !== null && (
        <p>
          Certificate <code>{digest}</code>
        </p>
      )}
    </>
  );
}
