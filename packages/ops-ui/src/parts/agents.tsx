import { NativeSelect, type NativeSelectProps } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useMe } from '../session/session.ts';
import { dayOf, useToday } from './dates.tsx';

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/agents', { signal }))).data,
});

/** How somebody is called; their id where nobody wrote a name down. */
export function useAgentNames(): (id: string) => string {
  const { data } = useQuery(agentsQuery);
  return useCallback((id) => data?.find((one) => one.id === id)?.name ?? id, [data]);
}

export interface AgentSelectProps extends Omit<NativeSelectProps, 'value' | 'onChange' | 'data'> {
  /** Null: nobody. */
  value: string | null;
  onChange(agent: string | null): void;
  nobody?: string;
  /** What stands first and chooses no agent at all, such as "everybody's" of a filter. */
  any?: { value: string; label: string };
}

/** Who something is given to: oneself first, then everybody who is known. */
export function AgentSelect({ value, onChange, nobody = 'Nobody', any, ...rest }: AgentSelectProps) {
  const me = useMe();
  const today = useToday();
  const { data = [] } = useQuery(agentsQuery);
  const others = data.filter(({ id }) => id !== me.sub);
  const isKnown = value === null || value === me.sub || value === any?.value || others.some(({ id }) => id === value);
  return (
    <NativeSelect
      {...rest}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
      data={[
        ...(any ? [any] : []),
        { value: '', label: nobody },
        { value: me.sub, label: `${data.find(({ id }) => id === me.sub)?.name ?? me.name ?? me.sub} (you)` },
        ...others.map(({ id, name, absent_until }) => ({
          value: id,
          label: absent_until && absent_until >= today ? `${name} (away until ${dayOf(absent_until)})` : name,
        })),
        ...(isKnown ? [] : [{ value: value as string, label: value as string }]),
      ]}
    />
  );
}
