import { type KeyboardEvent, useRef } from 'react';
import type { CustomerDetail } from '../api/types.ts';
import { useNow } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { type Draft, emptyDraft, type Kind, leavesTheFirm, obstacle } from './compose.ts';
import { fileObstacle, filesProblem } from './files.ts';
import { useHandedOver } from './hand-over.ts';
import { type Outgoing, send, takeBack } from './outgoing.ts';
import { type Room, roomFor } from './template-rules.ts';
import { useAnswered, useDraft } from './use-draft.ts';
import { useFiles } from './use-files.ts';
import { useSignature } from './use-signature.ts';
import { useTemplate } from './use-template.ts';

/** All that somebody writes to a customer with: what is written, by what it goes, and why it cannot. */
export function useComposer(customer: CustomerDetail, sent: ((one: Outgoing) => void) | undefined) {
  const { kind, choose, draft, write, take } = useDraft(customer);
  const answered = useAnswered(customer.id, kind, draft);
  const openUntil = useWindow(customer);
  const moments = momentsOf(kind, draft, write);
  const isClosed = kind === 'MESSAGING_APP' && !isOpenAt(openUntil, moments.later.value);
  const template = useTemplate(customer, isClosed);
  const room = isClosed ? roomFor(draft.body) : unlimited;
  const files = useFilesOf(customer.id, { kind, draft, write, isClosed });
  const signature = useSignature(kind, draft, write);
  const now = useNow();
  const field = useRef<HTMLTextAreaElement>(null);
  const goTo = (next: Kind) => {
    choose(next);
    field.current?.focus();
  };
  useHandedOver(customer.id, goTo);
  const without = obstacle(kind, customer);
  const mayNot =
    (without && `The customer has ${without}.`) ??
    missing(kind, draft) ??
    moments.problemAt(now) ??
    files.mayNot ??
    (template.state === 'none_approved' ? 'No template is approved.' : room.problem);
  const go = () => {
    if (mayNot !== null) return tell(mayNot);
    const chosen = template.state === 'to_choose' ? template.chosen : null;
    const written = { ...draft, subject: draft.subject.trim(), answers: answered };
    const below = signature.state === 'added' ? signature.text : null;
    const one = send(customer.id, kind, written, { template: chosen, signature: below });
    take(kind, emptyDraft);
    if (kind !== 'INTERNAL_NOTE') sent?.(one);
  };
  const letGo = () => write(() => ({ answers: null }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && answered) {
      event.stopPropagation();
      letGo();
    }
  };
  const change = (one: Outgoing) => {
    takeBack(one, customer.id);
    goTo(one.kind);
  };
  return {
    ...moments,
    kind,
    choose,
    draft,
    write,
    answered,
    letGo,
    openUntil,
    template,
    room,
    signature,
    files,
    field,
    mayNot,
    go,
    change,
    onKeyDown,
    sendByKeys: byKeys(go),
  };
}

/** When what is written leaves, and when a call was. */
function momentsOf(kind: Kind, { leavesAt, wasAt }: Draft, write: (change: () => Partial<Draft>) => void) {
  const later = leavesTheFirm(kind) ? (leavesAt ?? null) : null;
  const earlier = kind === 'CALL_LOG' ? (wasAt ?? null) : null;
  return {
    later: { value: later, change: (at: string | null) => write(() => ({ leavesAt: at })) },
    earlier: { value: earlier, change: (at: string | null) => write(() => ({ wasAt: at })) },
    problemAt(now: number): string | null {
      if (later !== null && Date.parse(later) <= now) return 'The time it is to leave at is over.';
      return earlier !== null && Date.parse(earlier) > now ? 'The call is still to come.' : null;
    },
  };
}

/** From what belongs to it too, such as the button that files were just chosen by. */
const byKeys = (go: () => void) => (event: KeyboardEvent) => {
  if (event.defaultPrevented || event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  go();
};

/** Whether free text is taken when it leaves. */
const isOpenAt = (openUntil: string | null, leavesAt: string | null): boolean =>
  openUntil !== null && (leavesAt === null || Date.parse(leavesAt) < Date.parse(openUntil));

const unlimited: Room = { count: null, problem: null };

type Drafting = Pick<ReturnType<typeof useDraft>, 'kind' | 'draft' | 'write'> & { isClosed: boolean };

/** The files of what is written by this kind. */
function useFilesOf(customerId: string, { kind, draft, write, isClosed }: Drafting) {
  const files = useFiles(customerId, write);
  const now = useNow();
  const obstacle = fileObstacle(kind, isClosed);
  const { body, files: chosen = [] } = draft;
  const problem = filesProblem(kind, chosen, { body, isWindowClosed: isClosed, now });
  const uploading = files.all.filter((one) => one.kind === kind);
  const { again, drop } = files;
  const add = (more: readonly File[]) => {
    if (obstacle === null) files.add(kind, more);
    else if (more.length > 0) tell(obstacle);
  };
  const remove = (id: string) => write((before) => ({ files: before.files?.filter((one) => one.id !== id) }));
  const mayNot = problem ?? (uploading.length > 0 ? 'A file is not there yet.' : null);
  return { list: { files: chosen, uploading, remove, again, drop, problem }, add, obstacle, mayNot };
}

/** Until when the messaging app takes free text; null: it does not, or no longer. */
function useWindow({ window_open_until: until }: CustomerDetail): string | null {
  const now = useNow();
  return until !== null && Date.parse(until) > now ? until : null;
}

/** Files speak for themselves, where they can go along. */
function missing(kind: Kind, { subject, body, files = [] }: Draft): string | null {
  if (body.trim() === '' && files.length === 0) return 'Nothing is written yet.';
  return kind === 'CALL_LOG' && subject.trim() === '' ? 'What the call was about is missing.' : null;
}
