import { Textarea, TextInput } from '@mantine/core';
import type { KeyboardEvent, Ref } from 'react';
import { asksForReply } from './canned.ts';
import { type Draft, hasSubject, type Kind, leavesTheFirm } from './compose.ts';

const placeholders: Record<Kind, string> = {
  MESSAGING_APP: 'Write to the customer',
  EMAIL: 'Write to the customer',
  SMS: 'Write to the customer',
  INTERNAL_NOTE: 'A note for colleagues; the customer never sees it',
  CALL_LOG: 'What was said',
};

interface FieldsProps {
  kind: Kind;
  draft: Draft;
  write(change: () => Partial<Draft>): void;
  onKeyDown(event: KeyboardEvent): void;
  field: Ref<HTMLTextAreaElement>;
  /** A slash was typed where no word goes on. */
  askForReply(): void;
}

export function ComposeFields({ kind, draft, write, onKeyDown, field, askForReply }: FieldsProps) {
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
          if (leavesTheFirm(kind) && asksForReply(draft.body, value, selectionStart)) askForReply();
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
