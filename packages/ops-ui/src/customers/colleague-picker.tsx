import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { agentsQuery } from '../parts/agents.tsx';
import { dayOf, useToday } from '../parts/dates.tsx';
import { useMe } from '../session/session.ts';
import type { Mentioned } from './mentions.ts';
import { PickList } from './pick-list.tsx';

interface PickerProps {
  take(colleague: Mentioned): void;
  close(): void;
}

/** Whom a note is to tell of itself. */
export function ColleaguePicker({ take, close }: PickerProps) {
  const me = useMe();
  const today = useToday();
  const { data = [] } = useQuery(agentsQuery);
  const nameOf = (id: string) => data.find((one) => one.id === id)?.name ?? id;
  const all = data.filter(({ id }) => id !== me.sub).map((agent) => ({ ...agent, key: agent.id, title: agent.name }));
  return (
    <PickList
      label="Colleagues"
      find="Find a colleague"
      leave="No colleague"
      all={all}
      take={(one) => take(one)}
      close={close}
      below={(here) => {
        if (!here) return <Text size="sm">Nobody here is called so.</Text>;
        const isAway = here.absent_until !== null && here.absent_until >= today;
        if (!isAway) return null;
        const deputy = here.deputy === null ? 'nobody stands in for them' : `${nameOf(here.deputy)} stands in for them`;
        return (
          <Text size="sm">
            {here.name} is away until {dayOf(here.absent_until as string)}, and {deputy}.
          </Text>
        );
      }}
    />
  );
}
