import { Button, TextInput } from '@mantine/core';
import { asProblem } from '../api/problem.ts';
import type { Renewal } from '../api/types.ts';
import { inOwnDays, useToday } from '../parts/dates.tsx';
import { daysAfter, daysBetween } from '../parts/days.ts';
import { useNewDraft } from '../parts/new-draft.ts';
import { takeFocus } from '../parts/take-focus.ts';
import { DrawerForm } from './drawer-form.tsx';
import { useHoldChanges } from './hold-changes.ts';

const usualDays = 14;

/** Somebody looks after it until a day, and the customer is not reminded meanwhile. */
export function NotNowForm({ renewal, close }: { renewal: Renewal; close(): void }) {
  const { id, due_date } = renewal;
  const { acknowledge } = useHoldChanges();
  const problem = acknowledge.error === null ? undefined : asProblem(acknowledge.error);
  const today = useToday();
  const until = daysAfter(today, Math.min(usualDays, daysBetween(today, due_date)));
  const { draft, write, forget } = useNewDraft(`hold of ${id}`, { until, note: '' });
  const hold = () => {
    const onSuccess = () => {
      forget();
      close();
    };
    const wanted = { until: draft.until, note: draft.note.trim() || null };
    if (!acknowledge.isPending) acknowledge.mutate({ seen: renewal, wanted, isTyped: true }, { onSuccess });
  };
  return (
    <DrawerForm label="Not now" submit={hold} close={close}>
      <TextInput
        ref={takeFocus}
        type="date"
        label="The customer is not reminded until"
        description="At most 60 days, and not beyond the due date"
        required
        value={draft.until}
        onChange={({ currentTarget }) => write({ until: currentTarget.value })}
        error={inOwnDays(problem?.field('until') ?? '')}
      />
      <TextInput
        label="What is waited for"
        maxLength={1_000}
        value={draft.note}
        onChange={({ currentTarget }) => write({ note: currentTarget.value })}
        error={problem?.field('note')}
      />
      <Button type="submit" loading={acknowledge.isPending}>
        Hold
      </Button>
    </DrawerForm>
  );
}
