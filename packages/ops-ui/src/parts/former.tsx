import type { ReactNode } from 'react';
import classes from './former.module.css';

/** Around a list that stands for another one until that is there: dim, and nothing can be done to what is in it. */
export const Former = ({ isFormer, children }: { isFormer: boolean; children: ReactNode }) => (
  <div className={classes.former} inert={isFormer} aria-busy={isFormer || undefined}>
    {children}
  </div>
);
