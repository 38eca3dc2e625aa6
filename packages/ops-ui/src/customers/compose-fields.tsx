import { Textarea, TextInput } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import { asksFor } from './canned.ts';
import { type Draft, hasSubject, type Kind, signOf } from './compose.ts';

const placeholders: Record<Kind, string> = {
  MESSAGING_APP: 'Write to the customer',
  EMAIL: 'Write to the customer',
  SMS: 'Write to the customer',
  INTERNAL_NOTE: 'A note for colleagues; the customer never sees it. @ tells one of them.',
  CALL_LOG: 'What was said',
};

interface FieldsProps {
  kind: Kind;
  draft: Draft;
  write(change: () => Partial<Draft>): void;
  onKeyDown(event: KeyboardEvent): void;
  field: Ref<HTMLTextAreaElement>;
  /** The sign of this kind was typed where no word goes on. */
  ask(): void;
}

export function ComposeFields({ kind, draft, write, onKeyDown, field, ask }: FieldsProps) {
  return (
    <>
      {hasSubject(kind) && (
        <TextInput
          value={draft.subject}
          onChange={({ currentTarget: { value } }) => write(() => ({ subject: value }))}
          onKeyDown={onKeyDown}
          placeholder={kind === 'CALL_LOG' ? 'What the call was about' : 'Subject'}
          aria-label="Subject"
          maxLength={998}
        />
      )}
      <Textarea
        ref={field}
        value={draft.body}
        onChange={({ currentTarget: { value, selectionStart } }) => {
          const sign = signOf(kind);
          if (sign !== null && asksFor(sign, draft.body, value, selectionStart)) ask();
          write(() => ({ body: value }));
        }}
        onKeyDown={onKeyDown}
        placeholder={placeholders[kind]}
        aria-label={placeholders[kind]}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={65_536}
      />
    </>
  );
}
