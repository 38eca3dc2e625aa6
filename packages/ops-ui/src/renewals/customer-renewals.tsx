import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Renewal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf } from '../parts/dates.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import { DaysLeft, urgencyOf } from '../parts/urgency.tsx';
import { CreateDrawer } from './create-drawer.tsx';
import { heldBriefly } from './held.tsx';
import classes from './queue-table.module.css';
import { RenewalDrawer } from './renewal-drawer.tsx';
import { customerRenewalsQuery } from './renewal-queries.ts';
import { isOpen, statusNames } from './renewal-words.ts';
import { useServiceNames } from './service-types.ts';
import { twinsOf } from './twins.ts';

const route = getRouteApi('/customers/$id');

/** Every date of one customer: what is still watched, then what was closed. */
export default function CustomerRenewals({ customerId }: { customerId: string }) {
  const { renewal, create } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (shown: { renewal?: string; create?: true }) => navigate({ search: { tab: 'renewals', ...shown } });
  return (
    <Beside
      header={
        <div className={classes.bar}>
          <Button size="xs" leftSection={<IconPlus size={14} />} onClick={() => show({ create: true })}>
            Watch a date
          </Button>
        </div>
      }
      drawer={
        renewal ? (
          <RenewalDrawer id={renewal} close={() => show({})} />
        ) : (
          create && <CreateDrawer customerId={customerId} close={() => show({})} made={(id) => show({ renewal: id })} />
        )
      }
    >
      <List customerId={customerId} focused={renewal} />
    </Beside>
  );
}

function List({ customerId, focused }: { customerId: string; focused: string | undefined }) {
  const query = useInfiniteQuery(customerRenewalsQuery(customerId));
  return (
    <Listed query={query} empty="No date of this customer is watched yet.">
      {(all) => (
        <table className={`${table.table} ${classes.table}`}>
          <thead>
            <tr>
              <th>Days</th>
              <th>Due</th>
              <th>Service</th>
              <th>Policy</th>
              <th>Status</th>
              <th>Agent</th>
            </tr>
          </thead>
          <tbody>
            {[...all.filter(isOpen), ...all.filter((one) => !isOpen(one)).toReversed()].map((one) => (
              <Row key={one.id} renewal={one} isFocused={one.id === focused} isTwice={twinsOf(one, all).length > 0} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ renewal, isFocused, isTwice }: { renewal: Renewal; isFocused: boolean; isTwice: boolean }) {
  const nameOf = useServiceNames();
  const agentOf = useAgentNames();
  const { id, customer_id, service_type, due_date, days_until_due, policy_id, status, responsible_agent, hold } =
    renewal;
  return (
    <tr
      className={classes.row}
      data-renewal={id}
      data-urgency={days_until_due === null ? undefined : urgencyOf(days_until_due)}
      data-focused={isFocused || undefined}
    >
      <td data-label="Days">{days_until_due !== null && <DaysLeft days={days_until_due} />}</td>
      <td data-label="Due">{dayOf(due_date)}</td>
      <td data-label="Service">
        <Link
          to="/customers/$id"
          params={{ id: customer_id }}
          search={{ tab: 'renewals', renewal: id }}
          className={classes.open}
        >
          {nameOf(service_type)}
        </Link>
      </td>
      <td data-label="Policy">{policy_id}</td>
      <td data-label="Status">
        {[statusNames[status], hold && heldBriefly(hold), isTwice && 'watched twice'].filter(Boolean).join(', ')}
      </td>
      <td data-label="Agent">{responsible_agent && agentOf(responsible_agent)}</td>
    </tr>
  );
}
