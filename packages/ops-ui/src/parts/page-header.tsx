import type { ReactNode } from 'react';
import classes from './page-header.module.css';
import { useTitle } from './title.tsx';

/** Where one is, what is filtered, and the one main action. */
export function PageHeader({ title, filters, action }: { title: string; filters?: ReactNode; action?: ReactNode }) {
  useTitle(title);
  return (
    <header className={classes.header}>
      <h1 className={classes.title}>{title}</h1>
      {filters && <div className={classes.filters}>{filters}</div>}
      {action && <div className={classes.action}>{action}</div>}
    </header>
  );
}
