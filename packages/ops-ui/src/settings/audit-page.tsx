import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { AuditedEntry } from '../api/types.ts';
import { changesInWords, madeRecord, madeSetting } from '../history/history-words.ts';
import { useWho } from '../history/who-changed.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { dayOf, instantOf } from '../parts/dates.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import { useServiceNames } from '../renewals/service-types.ts';
import { auditFile, auditQuery, serviceIn } from './audit-queries.ts';
import { ForAdmins, Section } from './section.tsx';
import { type ProcessName, processLabels } from './service-names.ts';
import classes from './settings.module.css';
import { auditSearch } from './settings-search.ts';

const route = getRouteApi('/settings/audit');

/** What people and programs changed, whatever it was, for whoever has to answer for it. */
export const AuditPage = () => (
  <ForAdmins>
    <Section
      title="Who changed what"
      words="What people and programs changed, with what stood there before, who signed in, and who was refused what. Nobody can change or remove any of it for seven years; that the file was taken is written down too."
      filters={<Filters />}
      action={<TakeAlong />}
    >
      <List />
    </Section>
  </ForAdmins>
);

function TakeAlong() {
  return (
    <Button component="a" href={auditFile(route.useSearch())} download variant="default">
      Download
    </Button>
  );
}

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const asked = Object.fromEntries(new FormData(event.currentTarget));
    navigate({ search: ({ service }) => auditSearch({ service, ...asked }) });
  };
  return (
    <>
      <SegmentedControl
        className={classes.wrapping}
        value={serviceIn(search)}
        onChange={(service) => navigate({ search: (before) => auditSearch({ ...before, service }) })}
        data={Object.entries(processLabels).map(([value, label]) => ({ value: value as ProcessName, label }))}
        aria-label="Which part of the system"
      />
      <form key={JSON.stringify(search)} className={classes.asked} onSubmit={show}>
        <TextInput name="customer" defaultValue={search.customer} placeholder="Customer id" aria-label="Customer id" />
        <TextInput name="who" defaultValue={search.who} placeholder="Who, by their id" aria-label="Who, by their id" />
        <Day name="from" value={search.from} />
        <Day name="to" value={search.to} />
        <Button type="submit" variant="default">
          Show
        </Button>
      </form>
    </>
  );
}

const Day = ({ name, value }: { name: 'from' | 'to'; value: string | undefined }) => (
  <TextInput
    name={name}
    type="date"
    defaultValue={value}
    leftSection={name}
    leftSectionWidth={48}
    aria-label={`${name} this day`}
  />
);

function List() {
  const { service: _, ...asked } = route.useSearch();
  const query = useInfiniteQuery(auditQuery(route.useSearch()));
  const isAsked = Object.keys(asked).length > 0;
  return (
    <Listed query={query} empty={isAsked ? 'Nothing was changed that fits this.' : 'Nobody changed anything yet.'}>
      {(entries) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>When</th>
              <th>Who</th>
              <th>About</th>
              <th>What</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ entry }: { entry: AuditedEntry }) {
  const [who, agent, service] = [useWho(), useAgentNames(), useServiceNames()];
  const { at, action, changes, subject } = entry;
  return (
    <tr>
      <td data-label="When" className={classes.whole}>
        <time dateTime={at}>{instantOf(at)}</time>
      </td>
      <td data-label="Who">{who(entry)}</td>
      <td data-label="About">
        <About entry={entry} />
      </td>
      <td data-label="What" title={action}>
        {changesInWords(changes, { agent, service, day: dayOf }, isRecord(subject.kind) ? madeRecord : madeSetting)}
      </td>
    </tr>
  );
}

const isRecord = (kind: string) => ['customer', 'renewal', 'task'].includes(kind);

function About({ entry: { subject, customer_id } }: { entry: AuditedEntry }) {
  const kind = subject.kind.replaceAll('_', ' ');
  const customer = customer_id && (
    <Link to="/customers/$id" params={{ id: customer_id }}>
      {customer_id}
    </Link>
  );
  if (subject.kind === 'customer') return <>customer {customer}</>;
  if (customer)
    return (
      <>
        {kind} of {customer}
      </>
    );
  return <>{subject.id === subject.kind ? kind : `${kind} ${subject.id}`}</>;
}
