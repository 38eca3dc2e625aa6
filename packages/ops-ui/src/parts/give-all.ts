import { tell, tellProblem } from './told.tsx';

interface Given {
  id: string;
  assigned_agent: string | null;
}

interface Giving {
  items: readonly Given[];
  agent: string | null;
  /** Answers the ids of those it went for. */
  give(ids: string[], agent: string | null): Promise<string[]>;
  nameOf(agent: string): string;
  settled(): Promise<unknown>;
}

/** As many as a service takes at once. */
const mostAtOnce = 200;

/** Gives several to one agent; taken back, each goes to whom it belonged. */
export async function giveAll({ items, agent, give, nameOf, settled }: Giving): Promise<void> {
  const giveSome = async (some: readonly Given[], whom: string | null) => {
    const done: string[] = [];
    for (let n = 0; n < some.length; n += mostAtOnce)
      done.push(
        ...(await give(
          some.slice(n, n + mostAtOnce).map(({ id }) => id),
          whom,
        )),
      );
    return done;
  };
  const done = new Set(await giveSome(items, agent));
  const before = Map.groupBy(
    items.filter(({ id }) => done.has(id)),
    ({ assigned_agent }) => assigned_agent,
  );
  const takeBack = async () => {
    try {
      for (const [owner, theirs] of before) await giveSome(theirs, owner);
    } catch (error) {
      tellProblem(error);
    }
    await settled();
  };
  tell(givenInWords(done.size, items.length, agent && nameOf(agent)), done.size > 0 ? takeBack : undefined);
}

function givenInWords(done: number, all: number, agent: string | null): string {
  const given = agent === null ? `${done} taken from their agent.` : `${done} given to ${agent}.`;
  return done === all ? given : `${given} ${all - done} stay as they were.`;
}
