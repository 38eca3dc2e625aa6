import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CustomerDetail, CustomerIdentifier } from '../api/types.ts';
import { givenInWords, sourceInWords } from '../customers/source-words.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import { dayOf, When } from '../parts/dates.tsx';
import { useOpenRenewals } from '../renewals/open-count.ts';
import { useOpenTasks } from '../tasks/open-count.ts';
import classes from './compare.module.css';
import { becomes, type Fact, factsOf, hasAddress } from './merging.ts';

interface Pair {
  stays: CustomerDetail;
  goes: CustomerDetail;
}

/** What the firm knows of both, and what becomes of it. */
export function Comparison({ stays, goes }: Pair) {
  return (
    <table className={classes.table} aria-label="Both customers">
      <thead>
        <tr>
          <td />
          <Who customer={stays}>stays</Who>
          <Who customer={goes}>goes to {stays.id}</Who>
        </tr>
      </thead>
      <tbody>
        {factsOf(stays, goes).map((fact) => (
          <FactRow key={fact} fact={fact} stays={stays} goes={goes} />
        ))}
        {(['phone', 'email', 'user_id'] as const).map((kind) => (
          <AddressRow key={kind} kind={kind} stays={stays} goes={goes} />
        ))}
        <Row name="Unread" stays={stays.unread_count} goes={goes.unread_count} />
        <Row name="Dates watched" stays={<Renewals id={stays.id} />} goes={<Renewals id={goes.id} />} />
        <Row name="Tasks open" stays={<Tasks id={stays.id} />} goes={<Tasks id={goes.id} />} />
        <Row name="Waits for an answer" stays={since(stays.waiting_since)} goes={since(goes.waiting_since)} />
        <Row name="Entered" stays={since(stays.created_at)} goes={since(goes.created_at)} />
      </tbody>
    </table>
  );
}

const Who = ({ customer: { id, name, merged_from }, children }: { customer: CustomerDetail; children: ReactNode }) => (
  <th scope="col">
    <Link to="/customers/$id" params={{ id }} className={classes.name}>
      {name}
    </Link>{' '}
    <span className={classes.quiet}>{[id, ...merged_from].join(', also ')}</span>
    <Mark>{children}</Mark>
  </th>
);

const Row = ({ name, stays, goes }: { name: string; stays: ReactNode; goes: ReactNode }) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{stays}</td>
    <td>{goes}</td>
  </tr>
);

const factNames: Record<Fact, string> = {
  name: 'Name',
  assigned_agent: 'Agent',
  preferred_channel: 'Preferred channel',
  locale: 'Language',
  time_zone: 'Time zone',
  do_not_contact: 'Not to be contacted',
};

function FactRow({ fact, stays, goes }: Pair & { fact: Fact }) {
  const [ofStays, ofGoes] = becomes(fact, stays, goes);
  return (
    <Row
      name={factNames[fact]}
      stays={<FactCell fact={fact} customer={stays} mark={ofStays} />}
      goes={<FactCell fact={fact} customer={goes} mark={ofGoes} />}
    />
  );
}

function FactCell({ fact, customer, mark }: { fact: Fact; customer: CustomerDetail; mark: string | null }) {
  const agentOf = useAgentNames();
  const source = customer[fact] && sourceInWords(customer.sources, fact, dayOf);
  return (
    <>
      {inWords(fact, customer, agentOf)}
      {source && <Quiet>{source}</Quiet>}
      {mark && <Mark>{mark}</Mark>}
    </>
  );
}

function inWords(fact: Fact, customer: CustomerDetail, agentOf: (id: string) => string): string {
  const { assigned_agent, preferred_channel, do_not_contact } = customer;
  if (fact === 'do_not_contact') return do_not_contact ? 'Yes' : 'No';
  if (fact === 'assigned_agent' && assigned_agent) return agentOf(assigned_agent);
  if (fact === 'preferred_channel' && preferred_channel) return channelNames[preferred_channel];
  return customer[fact] ?? none;
}

const kindNames = { phone: 'Phones', email: 'E-mails', user_id: 'At the messaging app' } as const;

function AddressRow({ kind, stays, goes }: Pair & { kind: CustomerIdentifier['kind'] }) {
  const of = ({ identifiers }: CustomerDetail) => identifiers.filter((one) => one.kind === kind);
  if (of(stays).length + of(goes).length === 0) return null;
  return (
    <Row
      name={kindNames[kind]}
      stays={<Addresses all={of(stays)} mark={(one) => hasAddress(goes, one) && 'both have it'} />}
      goes={<Addresses all={of(goes)} mark={(one) => (hasAddress(stays, one) ? 'both have it' : 'goes along')} />}
    />
  );
}

interface AddressesProps {
  all: readonly CustomerIdentifier[];
  mark(one: CustomerIdentifier): string | false;
}

function Addresses({ all, mark }: AddressesProps) {
  if (all.length === 0) return none;
  return (
    <ul className={classes.addresses}>
      {all.map((one) => (
        <li key={one.value}>
          {one.value}
          <Quiet>{one.given_by === null ? 'learned from a message' : givenInWords[one.given_by]}</Quiet>
          {mark(one) && <Mark>{mark(one)}</Mark>}
        </li>
      ))}
    </ul>
  );
}

const Renewals = ({ id }: { id: string }) => useOpenRenewals(id) ?? none;
const Tasks = ({ id }: { id: string }) => useOpenTasks(id) ?? none;

const since = (at: string | null): ReactNode => (at === null ? 'No' : <When at={at} />);

const none = 'None';

const Quiet = ({ children }: { children: string }) => <span className={classes.quiet}>{children}</span>;
const Mark = ({ children }: { children: ReactNode }) => <span className={classes.mark}>{children}</span>;
