import { Button, NativeSelect, Popover, SegmentedControl, Stack } from '@mantine/core';
import { IconFilter, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AgentSelect, useAgentNames } from '../parts/agents.tsx';
import { dayOf } from '../parts/dates.tsx';
import { runQuery } from '../runs/run-queries.ts';
import classes from './queue-filters.module.css';
import { alertedByInWords } from './refresh-words.ts';
import { isClosed, renewalStatuses, type Status, statusNames, windows } from './renewal-words.ts';
import { type RenewalsSearch, windowOf } from './renewals-search.ts';
import type { Rung } from './rung-names.ts';
import { useServiceNames, useServiceTypes } from './service-types.ts';

const route = getRouteApi('/renewals');
const withoutRun = { run: undefined, rung: undefined };

/** What the queue is narrowed to: at hand how far ahead and what is at risk; the rest behind a button that says what of it is chosen. */
export function QueueFilters() {
  const { run, rung, risk } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      {run ? <OfRun run={run} rung={rung} /> : <Window />}
      <Button
        size="xs"
        variant={risk ? 'light' : 'default'}
        aria-pressed={risk === true}
        onClick={() => navigate({ search: (now) => ({ ...now, risk: now.risk ? undefined : true }) })}
      >
        At risk
      </Button>
      <Others />
    </>
  );
}

function Window() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <SegmentedControl
      size="xs"
      value={windowOf(search) ?? ''}
      onChange={(value) =>
        navigate({
          search: (now) => ({
            ...now,
            week: undefined,
            status: isClosed(now.status) ? undefined : now.status,
            window: windows.find((one) => one === value),
          }),
        })
      }
      data={windows.map((value) => ({
        value,
        label: (
          <>
            {value}
            <span className={classes.unit}> days</span>
          </>
        ),
      }))}
      aria-label="Due within"
    />
  );
}

/** Whose alerts the list is narrowed to, whenever they are due, until it is clicked away. */
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

/** Of which service, status and agent. */
function Others() {
  const chosen = useChosenInWords();
  return (
    <Popover position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          size="xs"
          variant={chosen ? 'light' : 'default'}
          leftSection={<IconFilter size={14} aria-hidden />}
          className={classes.chosen}
          title={chosen}
        >
          {chosen ? (
            <>
              <span className="visually-hidden">Filters: </span>
              {chosen}
            </>
          ) : (
            'Filters'
          )}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters">
        <Fields />
      </Popover.Dropdown>
    </Popover>
  );
}

const everybody = '*';
const nothing = { service_type: undefined, status: undefined, agent: undefined } satisfies {
  [field in keyof RenewalsSearch]: undefined;
};

function Fields() {
  const { service_type = '', status = '', agent, run } = route.useSearch();
  const navigate = route.useNavigate();
  const types = useServiceTypes();
  const isNarrowed = service_type !== '' || status !== '' || agent !== undefined;
  return (
    <Stack gap="sm" w={220}>
      <NativeSelect
        size="xs"
        label="Service"
        value={service_type}
        onChange={({ currentTarget }) =>
          navigate({ search: (now) => ({ ...now, service_type: currentTarget.value || undefined }) })
        }
        data={[{ value: '', label: 'All services' }, ...types.map(({ code, label }) => ({ value: code, label }))]}
      />
      <NativeSelect
        size="xs"
        label="Status"
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
      />
      <AgentSelect
        size="xs"
        label="Agent"
        value={agent === undefined ? everybody : agent || null}
        any={{ value: everybody, label: 'Everybody’s' }}
        nobody="Nobody’s"
        onChange={(value) =>
          navigate({ search: (now) => ({ ...now, agent: value === everybody ? undefined : (value ?? '') }) })
        }
      />
      <Button
        size="compact-xs"
        variant="subtle"
        disabled={!isNarrowed}
        onClick={() => navigate({ search: (now) => ({ ...now, ...nothing }) })}
      >
        Clear
      </Button>
    </Stack>
  );
}

/** Such as "Overdue, Demo Staff"; empty: nothing. */
function useChosenInWords(): string {
  const { service_type, status, agent } = route.useSearch();
  const serviceOf = useServiceNames();
  const agentOf = useAgentNames();
  return [
    service_type && serviceOf(service_type),
    status && statusNames[status],
    agent !== undefined && (agent === '' ? 'Nobody’s' : agentOf(agent)),
  ]
    .filter(Boolean)
    .join(', ');
}
