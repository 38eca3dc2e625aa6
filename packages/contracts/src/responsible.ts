import type { PlainDate } from './dates.ts';

/** What of an agent says who deals with what is theirs. */
export interface AgentPresence {
  id: string;
  /** The last day of absence. */
  absent_until: PlainDate | null;
  deputy: string | null;
}

/** Who is responsible for what this agent owns; null: nobody. */
export interface Responsible {
  open(owner: string | null): string | null;
  /** What is over stays with whoever had it: there is nothing left to stand in for. */
  closed(owner: string | null): string | null;
}

/**
 * Of what is open the owner while they are there, else their deputy, if that one is; a deputy's own deputy is not asked. An
 * agent nobody knows deals with nothing.
 */
export function responsibleOn(agents: readonly AgentPresence[], today: PlainDate): Responsible {
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  const isThere = ({ absent_until }: AgentPresence) => absent_until === null || absent_until < today;
  const closed = (owner: string | null) => known.get(owner ?? '')?.id ?? null;
  const open = (owner: string | null) => {
    const agent = known.get(owner ?? '');
    if (agent === undefined || isThere(agent)) return closed(owner);
    const deputy = known.get(agent.deputy ?? '');
    return deputy !== undefined && isThere(deputy) ? deputy.id : null;
  };
  return { open, closed };
}

/** A list of owners, or all but these and those without one. */
export type Owners = { of: readonly string[] } | { notOf: readonly string[] };

/** Of things that are open, and of those that are over. */
export interface OwnersOf {
  open: Owners;
  closed: Owners;
}

/** Whose things somebody is responsible for on that day; of an empty name: those that nobody is. */
export function ownersFor(agents: readonly AgentPresence[], today: PlainDate, responsible: string): OwnersOf {
  const { open, closed } = responsibleOn(agents, today);
  const ids = agents.map(({ id }) => id);
  const owners = (responsibleFor: Responsible['open']): Owners =>
    responsible === ''
      ? { notOf: ids.filter((id) => responsibleFor(id) !== null) }
      : { of: ids.filter((id) => responsibleFor(id) === responsible) };
  return { open: owners(open), closed: owners(closed) };
}
