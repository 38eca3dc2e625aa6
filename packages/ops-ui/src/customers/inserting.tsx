import { useDisclosure } from '@mantine/hooks';
import { useLayoutEffect, useRef } from 'react';
import type { Customer } from '../api/types.ts';
import { inserted, type Sign } from './canned.ts';
import { CannedPicker } from './canned-picker.tsx';
import { ColleaguePicker } from './colleague-picker.tsx';
import { signOf } from './compose.ts';
import { type Mentioned, withMention } from './mentions.ts';
import type { useComposer } from './use-composer.ts';

type Writing = Pick<ReturnType<typeof useComposer>, 'kind' | 'draft' | 'write' | 'field'>;

/** What is asked for by a sign, or a button, and comes to stand where one writes. */
export function useInserting({ kind, draft: { body, mentions }, write, field }: Writing) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const sign = signOf(kind);
  const cursor = useRef<number>(undefined);
  // A field whose words are changed from outside has its cursor at their end.
  useLayoutEffect(() => {
    if (cursor.current === undefined) return;
    field.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = undefined;
  });
  const leave = () => {
    close();
    field.current?.focus();
  };
  const insert = (words: string, by: Sign, more = {}) => {
    const at = field.current?.selectionStart ?? body.length;
    const next = inserted(body, at, words, by);
    cursor.current = at + next.length - body.length;
    write(() => ({ body: next, ...more }));
    leave();
  };
  const takeReply = (words: string) => insert(words, '/');
  const takeColleague = (one: Mentioned) => insert(`@${one.name} `, '@', { mentions: withMention(mentions, one) });
  return { sign, isOpen, open, leave, takeReply, takeColleague };
}

/** The list of what may be inserted. */
export function Inserting({
  sign,
  isOpen,
  leave,
  takeReply,
  takeColleague,
  customer,
}: ReturnType<typeof useInserting> & { customer: Customer }) {
  if (!isOpen || sign === null) return null;
  if (sign === '@') return <ColleaguePicker take={takeColleague} close={leave} />;
  return <CannedPicker customer={customer} take={takeReply} close={leave} />;
}
