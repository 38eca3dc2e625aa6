import { IconLock } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { Empty } from '../parts/states.tsx';
import { useTitle } from '../parts/title.tsx';
import { useMe } from '../session/session.ts';
import classes from './settings.module.css';

export const useIsAdmin = (): boolean => useMe().role === 'admin';

interface SectionProps {
  title: string;
  words: ReactNode;
  filters?: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}

/** One part of the settings: what it is called and what it does, then the thing itself. */
export function Section({ title, words, filters, action, children }: SectionProps) {
  useTitle(`${title}, settings`);
  const titleId = useId();
  return (
    <section aria-labelledby={titleId}>
      <div className={classes.intro}>
        <div>
          <h2 id={titleId} className={classes.title}>
            {title}
          </h2>
          <p className={classes.words}>{words}</p>
        </div>
        {action}
      </div>
      {filters && <div className={classes.filters}>{filters}</div>}
      {children}
    </section>
  );
}

/** Why nothing can be changed here. */
export const OnlyAdmins = () => (
  <p className={classes.locked}>
    <IconLock size={14} aria-hidden /> Only administrators change this.
  </p>
);

/** Others came here by an address alone: nothing leads them to it. */
export const ForAdmins = ({ children }: { children: ReactNode }) =>
  useIsAdmin() ? children : <Empty>This part of the settings is for administrators.</Empty>;
