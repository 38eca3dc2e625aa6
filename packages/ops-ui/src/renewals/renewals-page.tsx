import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useRef, useState } from 'react';
import { dayOf } from '../parts/dates.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Former } from '../parts/former.tsx';
import { KeyHelp } from '../parts/key-help.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import { DueChart } from './due-chart.tsx';
import { daysOf, todayOf } from './due-weeks.ts';
import { QueueActions } from './queue-actions.tsx';
import { QueueFilters } from './queue-filters.tsx';
import { QueueTable } from './queue-table.tsx';
import { RefreshReport } from './refresh-report.tsx';
import { useRenewalChanges } from './renewal-changes.ts';
import { queueQuery, summaryQuery } from './renewal-queries.ts';
import { statusNames } from './renewal-words.ts';
import { RenewalsInBulk } from './renewals-in-bulk.tsx';
import { type RenewalsSearch, usualWindow, windowOf } from './renewals-search.ts';
import { usePlace } from './use-place.ts';
import { queueKeys, useQueueKeys } from './use-queue-keys.ts';
import { useRowLinks } from './use-row-links.ts';

const route = getRouteApi('/renewals');
const RenewalDrawer = lazy(async () => ({ default: (await import('./renewal-drawer.tsx')).RenewalDrawer }));
const CreateDrawer = lazy(async () => ({ default: (await import('./create-drawer.tsx')).CreateDrawer }));

const nothingInFocus = { renewal: undefined, create: undefined };

/** What falls due, of all customers: overdue first, then the most urgent. */
export function RenewalsPage() {
  const { renewal, create } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => navigate({ search: (now) => ({ ...now, ...nothingInFocus }) });
  return (
    <Beside
      header={<PageHeader title="Renewals" filters={<QueueFilters />} action={<QueueActions />} />}
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

const withoutRun = { run: undefined, rung: undefined };

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
        <RenewalsInBulk renewals={chosen} clear={() => setSelected(new Set())} backToRow={backToRow} />
        <div ref={list}>
          <Listed query={query} empty={emptyWords(search)} skeleton={{ rows: 12 }}>
            {() => (
              <QueueTable
                pages={pages}
                opening={`${href}${href.includes('?') ? '&' : '?'}renewal=`}
                focused={search.renewal}
                isOfRisk={risk === true}
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
