import type { ReactNode } from 'react';
import classes from './renewal-drawer.module.css';

interface DrawerFormProps {
  label: string;
  submit(): void;
  close(): void;
  children: ReactNode;
}

/** A form that opens within a drawer: Escape closes it, and the drawer stays. */
export const DrawerForm = ({ label, submit, close, children }: DrawerFormProps) => (
  <form
    className={classes.next}
    aria-label={label}
    onKeyDown={(event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      close();
    }}
    onSubmit={(event) => {
      event.preventDefault();
      submit();
    }}
  >
    {children}
  </form>
);
