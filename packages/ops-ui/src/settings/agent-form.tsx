import { NativeSelect, TextInput } from '@mantine/core';
import { api, dataOf } from '../api/client.ts';
import type { Agent } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { agentsQuery } from '../parts/agents.tsx';
import { dayOf } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { SaveBar } from './save-bar.tsx';
import classes from './settings.module.css';
import { useSave } from './use-save.ts';

type Described = Record<'id' | 'name' | 'email' | 'absent_until' | 'deputy', string>;

const empty: Described = { id: '', name: '', email: '', absent_until: '', deputy: '' };
const described = ({ id, name, email, absent_until, deputy }: Agent): Described => ({
  id,
  name,
  email: email ?? '',
  absent_until: absent_until ?? '',
  deputy: deputy ?? '',
});

interface AgentFormProps {
  /** Undefined: a new one. */
  agent: Agent | undefined;
  all: readonly Agent[];
  open(id: string): void;
  close(): void;
}

const draftNameOf = ({ id }: Pick<Agent, 'id'>) => `agent:${id}`;

export function AgentForm({ agent, all, open, close }: AgentFormProps) {
  const draft = useDraft(draftNameOf(agent ?? empty), agent ? described(agent) : empty, agent?.version ?? 0);
  const { id } = draft.value;
  const save = useSave({
    draft,
    queryKey: agentsQuery.queryKey,
    send: (body, header) =>
      dataOf(
        api.PUT('/ops/agents/{id}', {
          params: { path: { id: body.id.trim() }, header },
          body: {
            name: body.name.trim(),
            email: body.email.trim() || null,
            absent_until: body.absent_until || null,
            deputy: body.deputy || null,
          },
        }),
      ),
    nameOf: (result) => draftNameOf(result),
    saved: ({ id, name }, isAll) => {
      tell(`${name} is saved.`);
      if (isAll) close();
      else open(id);
    },
  });
  const isTaken = !agent && all.some((one) => one.id === id.trim());
  const field = (path: keyof Described) => ({
    value: draft.value[path],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      draft.write({ [path]: currentTarget.value }),
    error: save.field(path),
  });
  return (
    <DraftForm className={classes.form} draft={draft} save={save} isTaken={isTaken}>
      {!agent && (
        <TextInput
          label="Id"
          description="As the person signs in. It never changes."
          {...field('id')}
          error={isTaken ? 'There is an agent with this id already' : save.field('id')}
          maxLength={200}
        />
      )}
      <TextInput label="Name" {...field('name')} maxLength={200} />
      <TextInput label="E-mail" type="email" {...field('email')} maxLength={320} />
      <TextInput
        label="Away until"
        description="The last day of absence. Left empty: not away."
        type="date"
        {...field('absent_until')}
      />
      <NativeSelect
        label="Deputy"
        description="Who deals with all that is theirs while they are away."
        {...field('deputy')}
        data={[
          { value: '', label: 'Nobody' },
          ...all.filter((one) => one.id !== agent?.id).map((one) => ({ value: one.id, label: one.name })),
        ]}
      />
      {agent && <History of={agent} />}
      <SaveBar
        draft={draft}
        save={save}
        fields={['id', 'name', 'email', 'absent_until', 'deputy']}
        theirs={
          agent &&
          [
            agent.name,
            agent.email,
            agent.absent_until && `away until ${dayOf(agent.absent_until)}`,
            agent.deputy && `deputy ${all.find(({ id }) => id === agent.deputy)?.name ?? agent.deputy}`,
          ]
            .filter(Boolean)
            .join(', ')
        }
      />
    </DraftForm>
  );
}

const History = ({ of: { id, updated_at } }: { of: Agent }) => (
  <LastChange
    at={updated_at}
    queryKey={[...agentsQuery.queryKey, id]}
    ask={(query, signal) => dataOf(api.GET('/ops/agents/{id}/history', { params: { path: { id }, query }, signal }))}
  />
);
