import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { Agent } from '../api/types.ts';
import { agentsQuery } from '../parts/agents.tsx';
import { dayOf, useToday, When } from '../parts/dates.tsx';
import { Beside, Drawer } from '../parts/drawer.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import table from '../parts/table.module.css';
import { AgentForm } from './agent-form.tsx';
import { HandOver } from './hand-over.tsx';
import { Section } from './section.tsx';
import classes from './settings.module.css';

const route = getRouteApi('/settings/agents');

/** Whom tasks and customers are given to, and who is away. */
export function AgentsPage() {
  const { data, error, isPending, refetch } = useQuery({ ...agentsQuery, refetchOnMount: 'always' });
  return (
    <Beside drawer={<Form agents={data} />}>
      <Section
        title="Agents"
        words="Whom tasks and customers are given to; whoever signs in is one. While somebody is away their deputy deals with all that is theirs; without one it waits for somebody to take it."
        action={
          <Button
            leftSection={<IconPlus size={16} />}
            renderRoot={(props) => <Link to="/settings/agents" search={{ add: true }} {...props} />}
          >
            Add an agent
          </Button>
        }
      >
        {isPending && <Loading />}
        {error && <Failed problem={asProblem(error)} again={refetch} />}
        {data && <List agents={data} />}
      </Section>
    </Beside>
  );
}

function List({ agents }: { agents: readonly Agent[] }) {
  const { edit } = route.useSearch();
  if (agents.length === 0) return <Empty>Nobody is described yet.</Empty>;
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Name</th>
          <th>Id</th>
          <th>E-mail</th>
          <th>Away until</th>
          <th>Deputy</th>
          <th>Changed</th>
        </tr>
      </thead>
      <tbody>
        {agents.map(({ id, name, email, absent_until, deputy, updated_at }) => (
          <tr key={id} className={id === edit ? classes.chosen : undefined}>
            <td data-label="Name">
              <Link to="/settings/agents" search={{ edit: id }} className={table.main}>
                {name}
              </Link>
            </td>
            <td data-label="Id">{id}</td>
            <td data-label="E-mail">{email}</td>
            <td data-label="Away until">{absent_until && <Absence until={absent_until} />}</td>
            <td data-label="Deputy">{deputy && (agents.find((one) => one.id === deputy)?.name ?? deputy)}</td>
            <td data-label="Changed">
              <When at={updated_at} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Absence({ until }: { until: string }) {
  if (until < useToday()) return <span className={classes.quiet}>{dayOf(until)}, back by now</span>;
  return <span className={classes.missing}>{dayOf(until)}</span>;
}

function Form({ agents }: { agents: readonly Agent[] | undefined }) {
  const { edit, add } = route.useSearch();
  const navigate = route.useNavigate();
  if (!agents || (edit === undefined && !add)) return null;
  const close = () => navigate({ search: {} });
  const chosen = agents.find(({ id }) => id === edit);
  const title = chosen?.name ?? (add ? 'A new agent' : 'Not found');
  return (
    <Drawer key={edit ?? 'new'} title={title} label={title} close={close}>
      {add || chosen ? (
        <>
          <AgentForm agent={chosen} all={agents} open={(id) => navigate({ search: { edit: id } })} close={close} />
          {chosen && <HandOver agent={chosen} />}
        </>
      ) : (
        <Empty>There is no agent {edit}.</Empty>
      )}
    </Drawer>
  );
}
