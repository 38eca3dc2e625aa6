import { useAgentNames } from '../parts/agents.tsx';
import { piecesOf } from './mentions.ts';
import classes from './thread.module.css';

/** The words of a note, with those it tells of itself; somebody who is called otherwise by now stands below. */
export function Mentioning({ words, agents }: { words: string; agents: readonly string[] }) {
  const nameOf = useAgentNames();
  const names = agents.map(nameOf);
  const pieces = piecesOf(words, names);
  const others = names.filter((name) => !pieces.some(({ text, isName }) => isName && text === `@${name}`));
  return (
    <>
      {pieces.map(({ text, isName }, n) =>
        isName ? (
          <mark key={n} className={classes.mention}>
            {text}
          </mark>
        ) : (
          text
        ),
      )}
      {others.map((name) => (
        <mark key={name} className={classes.mention} data-below>
          @{name}
        </mark>
      ))}
    </>
  );
}
