import { Button, NativeSelect, TextInput } from '@mantine/core';
import type { CancelRenewal, Renewal } from '../api/types.ts';
import { useNewDraft } from '../parts/new-draft.ts';
import { takeFocus } from '../parts/take-focus.ts';
import { DrawerForm } from './drawer-form.tsx';
import { type CancelReason, cancelReasons, reasonWords } from './renewal-words.ts';

interface CancelFormProps {
  renewal: Renewal;
  /** Why, as it begins. */
  reason: CancelReason;
  isPending: boolean;
  cancel(why: CancelRenewal, cancelled: () => void): void;
  close(): void;
}

/** It is not to be renewed, and whoever reads it later knows why. */
export function CancelForm({ renewal, reason, isPending, cancel, close }: CancelFormProps) {
  const { draft, write, forget } = useNewDraft(`cancelling ${renewal.id}: ${reason}`, { reason, note: '' });
  return (
    <DrawerForm
      label="Cancel the renewal"
      submit={() => cancel({ reason: draft.reason, note: draft.note.trim() || null }, forget)}
      close={close}
    >
      <NativeSelect
        ref={takeFocus}
        label="Why it is not to be renewed"
        data={cancelReasons.map((value) => ({ value, label: reasonWords[value] }))}
        value={draft.reason}
        onChange={({ currentTarget }) => write({ reason: currentTarget.value as CancelReason })}
      />
      <TextInput
        label="Note"
        maxLength={1_000}
        value={draft.note}
        onChange={({ currentTarget }) => write({ note: currentTarget.value })}
      />
      <Button type="submit" loading={isPending}>
        Cancel the renewal
      </Button>
    </DrawerForm>
  );
}
