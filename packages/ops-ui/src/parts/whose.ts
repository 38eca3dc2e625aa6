import { useAgentNames } from './agents.tsx';

interface Owned {
  assigned_agent: string | null;
  responsible_agent: string | null;
}

/** What a list to give it by says besides: who deals with it where nobody was chosen, or while that one is absent. */
export function useWhose({ assigned_agent, responsible_agent }: Owned): { nobody: string; description?: string } {
  const nameOf = useAgentNames();
  if (assigned_agent === null)
    return { nobody: responsible_agent === null ? 'Nobody' : `Nobody else than ${nameOf(responsible_agent)}` };
  if (assigned_agent === responsible_agent) return { nobody: 'Nobody' };
  const who = responsible_agent === null ? 'Nobody' : nameOf(responsible_agent);
  return { nobody: 'Nobody', description: `${who} deals with it at present` };
}
