import { instantOf } from '../parts/dates.tsx';
import classes from './history.module.css';
import { madeSetting } from './history-words.ts';
import { Changes, type Remembered, useHistory, useWho } from './who-changed.tsx';

interface LastChangeProps extends Remembered {
  /** When it was changed as the thing itself says, which also knows of what nobody asked for; null: never. */
  at: string | null;
  by?: string | null;
}

/** Who changed a setting last and when; opened, what was changed before as well. */
export function LastChange({ at, by = null, ...of }: LastChangeProps) {
  const query = useHistory(of);
  const who = useWho();
  const last = query.data?.pages[0]?.data[0];
  if (!last) return at && <p className={classes.last}>{said(at, by && who({ actor: by, role: 'staff' }))}</p>;
  return (
    <details className={classes.last}>
      <summary>{said(last.at, who(last))}</summary>
      <Changes query={query} made={of.made ?? madeSetting} />
    </details>
  );
}

const said = (at: string, who: string | null) => `Changed ${instantOf(at)}${who ? ` by ${who}` : ''}`;
