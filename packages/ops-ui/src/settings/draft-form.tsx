import type { ReactNode } from 'react';
import type { Draft } from './draft.ts';
import type { Save } from './use-save.ts';

interface DraftFormProps<T> {
  className: string | undefined;
  draft: Draft<T>;
  save: Save;
  /** It would take the place of something else. */
  isTaken?: boolean;
  children: ReactNode;
}

/** Saves over the version that was there when it was begun. */
export const DraftForm = <T,>({ className, draft, save, isTaken = false, children }: DraftFormProps<T>) => (
  <form
    className={className}
    noValidate
    onSubmit={(event) => {
      event.preventDefault();
      if (!isTaken) save.over(draft.basedOn);
    }}
    onKeyDown={(event) => {
      // In a field of several lines Enter is the next one.
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && draft.isDirty && !save.isPending)
        event.currentTarget.requestSubmit();
    }}
  >
    {children}
  </form>
);
