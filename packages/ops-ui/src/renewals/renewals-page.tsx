import { Button, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import { AgentSelect } from '../parts/agents.tsx';
import { dayOf } from '../parts/dates.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Former } from '../parts/former.tsx';
import { KeyHelp } from '../parts/key-help.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { runQuery } from '../runs/run-queries.ts';
import { BulkBar } from './bulk-bar.tsx';
import { DueChart } from './due-chart.tsx';
import { daysOf, todayOf } from './due-weeks.ts';
import { QueueTable } from './queue-table.tsx';
import { RefreshNow } from './refresh-now.tsx';
import { RefreshReport } from './refresh-report.tsx';
import { alertedByInWords } from './refresh-words.ts';
import { useRenewalChanges } from './renewal-changes.ts';
import { queueQuery, summaryQuery } from './renewal-queries.ts';
import { isClosed, renewalStatuses, type Status, statusNames, windows } from './renewal-words.ts';
import { type RenewalsSearch, usualWindow, windowOf } from './renewals-search.ts';
import type { Rung } from './rung-names.ts';
import { useServiceTypes } from './service-types.ts';
import { usePlace } from './use-place.ts';
import { queueKeys, useQueueKeys } from './use-queue-keys.ts';
import { useRowLinks } from './use-row-links.ts';

const route = getRouteApi('/renewals');
const RenewalDrawer = lazy(async () => ({ default: (await import('./renewal-drawer.tsx')).RenewalDrawer }));
const CreateDrawer = lazy(async () => ({ default: (await import('./create-drawer.tsx')).CreateDrawer }));

const everybody = '*';
const nothingInFocus = { renewal: undefined, create: undefined };

/** What falls due, of all customers: overdue first, then the most urgent. */
export function RenewalsPage() {
  const { renewal, create } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => navigate({ search: (now) => ({ ...now, ...nothingInFocus }) });
  return (
    <Beside
      header={
        <PageHeader
          title="Renewals"
          filters={<Filters />}
          action={
            <>
              <Button variant="subtle" renderRoot={(props) => <Link to="/import/renewals" {...props} />}>
                Import
              </Button>
              <Button variant="subtle" renderRoot={(props) => <Link to="/renewals/dry-run" {...props} />}>
                Who would be alerted
              </Button>
              <RefreshNow variant="default" />
              <Button
                leftSection={<IconPlus size={16} />}
                renderRoot={(props) => (
                  <Link to="/renewals" search={(now) => ({ ...now, renewal: undefined, create: true })} {...props} />
                )}
              >
                Watch a date
              </Button>
            </>
          }
        />
      }
      drawer={
        (renewal || create) && (
          <Suspense fallback={null}>
            {renewal ? (
              <RenewalDrawer id={renewal} close={close} />
            ) : (
              <CreateDrawer
                close={close}
                made={(id) => navigate({ search: (now) => ({ ...now, create: undefined, renewal: id }) })}
              />
            )}
          </Suspense>
        )
      }
    >
      <RefreshReport />
      <Queue />
    </Beside>
  );
}

function Filters() {
  const search = route.useSearch();
  const { service_type = '', status = '', agent, run, rung, risk } = search;
  const navigate = route.useNavigate();
  const types = useServiceTypes();
  return (
    <>
      <SegmentedControl
        size="xs"
        value={windowOf(search) ?? ''}
        onChange={(value) =>
          navigate({
            search: (now) => ({
              ...now,
              ...withoutRun,
              week: undefined,
              status: isClosed(now.status) ? undefined : now.status,
              window: windows.find((one) => one === value),
            }),
          })
        }
        data={windows.map((value) => ({ value, label: `${value} days` }))}
        aria-label="Due within"
      />
      <NativeSelect
        size="xs"
        value={service_type}
        onChange={({ currentTarget }) =>
          navigate({ search: (now) => ({ ...now, service_type: currentTarget.value || undefined }) })
        }
        data={[{ value: '', label: 'All services' }, ...types.map(({ code, label }) => ({ value: code, label }))]}
        aria-label="Service"
      />
      <NativeSelect
        size="xs"
        value={status}
        onChange={({ currentTarget }) =>
          navigate({
            search: (now) => ({ ...now, week: undefined, status: (currentTarget.value as Status) || undefined }),
          })
        }
        data={[
          { value: '', label: run ? 'Any status' : 'All that is open' },
          ...renewalStatuses.map((value) => ({ value, label: statusNames[value] })),
        ]}
        aria-label="Status"
      />
      <AgentSelect
        size="xs"
        value={agent === undefined ? everybody : agent || null}
        any={{ value: everybody, label: 'Everybody’s' }}
        nobody="Nobody’s"
        onChange={(value) =>
          navigate({ search: (now) => ({ ...now, agent: value === everybody ? undefined : (value ?? '') }) })
        }
        aria-label="Agent"
      />
      <Button
        size="xs"
        variant={risk ? 'light' : 'default'}
        aria-pressed={risk === true}
        onClick={() => navigate({ search: (now) => ({ ...now, risk: now.risk ? undefined : true }) })}
      >
        At risk
      </Button>
      {run && <OfRun run={run} rung={rung} />}
    </>
  );
}

const withoutRun = { run: undefined, rung: undefined };

/** Whose alerts the list is narrowed to, until it is clicked away. */
function OfRun({ run, rung }: { run: string; rung: Rung | undefined }) {
  const navigate = route.useNavigate();
  const { data } = useQuery(runQuery(run));
  const remove = () => {
    navigate({ search: (now) => ({ ...now, ...withoutRun }) });
    document.getElementById('content')?.focus({ preventScroll: true });
  };
  return (
    <Button size="xs" variant="light" rightSection={<IconX size={14} aria-hidden />} onClick={remove}>
      {alertedByInWords(rung, data && dayOf(data.as_of))}
      <span className="visually-hidden">: show all again</span>
    </Button>
  );
}

function Queue() {
  const search = route.useSearch();
  const { window = usualWindow, status, service_type, week, agent, run, rung, risk } = search;
  const within = windowOf(search);
  const navigate = route.useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useRef<HTMLDivElement>(null);
  const { data: summary } = useQuery(summaryQuery(agent));
  const query = useInfiniteQuery(
    queueQuery({
      ...(within && { window: within }),
      ...(status && { status }),
      ...(service_type && { service_type }),
      ...(agent !== undefined && { agent }),
      ...(run && { run }),
      ...(rung && { rung }),
      ...(risk && { risk }),
      ...(week && { due: daysOf(week, summary ? todayOf(summary) : week) }),
    }),
  );
  const pages = query.data?.pages.map((page) => page.data) ?? [];
  const renewals = pages.flat();
  const select = useCallback(
    (id: string, isSelected: boolean) =>
      setSelected((before) => new Set(isSelected ? [...before, id] : [...before].filter((one) => one !== id))),
    [],
  );
  const changes = useRenewalChanges();
  const chosen = renewals.filter(({ id }) => selected.has(id));
  const backToRow = usePlace(
    list,
    renewals.map(({ id }) => id),
  );
  useRowLinks(list);
  const { href } = useRouter().buildLocation({ to: '/renewals', search: { ...search, ...nothingInFocus } });
  useQueueKeys(list, renewals, { isSelected: (id) => selected.has(id), select }, changes);
  return (
    <>
      <DueChart
        windowDays={Number(window)}
        serviceType={service_type}
        agent={agent}
        chosen={week ?? (status === 'OVERDUE' ? 'overdue' : undefined)}
        choose={(bar) =>
          navigate({
            search: (now) => ({
              ...now,
              ...withoutRun,
              week: bar === 'overdue' ? undefined : bar,
              status: bar === 'overdue' ? 'OVERDUE' : undefined,
            }),
          })
        }
      />
      <Former isFormer={query.isPlaceholderData}>
        <BulkBar renewals={chosen} clear={() => setSelected(new Set())} backToRow={backToRow} />
        <div ref={list}>
          <Listed query={query} empty={emptyWords(search)} skeleton={{ rows: 12 }}>
            {() => (
              <QueueTable
                pages={pages}
                opening={`${href}${href.includes('?') ? '&' : '?'}renewal=`}
                focused={search.renewal}
                selected={selected}
                select={select}
                changes={changes}
              />
            )}
          </Listed>
        </div>
      </Former>
      <KeyHelp own={queueKeys} />
    </>
  );
}

function emptyWords({ week, run, status, risk }: RenewalsSearch): string {
  if (risk) return 'Nothing is at risk here: somebody, or the customer, is at everything that is near.';
  if (run) return 'Nothing of what that refresh alerted is to be found here.';
  if (week) return `Nothing falls due in the week of ${dayOf(week)}.`;
  return status ? `Nothing is ${statusNames[status].toLowerCase()} here.` : 'Nothing falls due in this time.';
}
