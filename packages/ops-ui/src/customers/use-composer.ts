import { type KeyboardEvent, useRef } from 'react';
import type { CustomerDetail } from '../api/types.ts';
import { useNow } from '../parts/dates.tsx';
import { tell } from '../parts/told.tsx';
import { emptyDraft, type Kind, leavesTheFirm, obstacle } from './compose.ts';
import { fileObstacle, filesProblem } from './files.ts';
import { useHandedOver } from './hand-over.ts';
import { type Outgoing, send, takeBack } from './outgoing.ts';
import { type Room, roomFor } from './template-rules.ts';
import { useAnswered, useDraft } from './use-draft.ts';
import { useFiles } from './use-files.ts';
import { useTemplate } from './use-template.ts';

/** All that somebody writes to a customer with: what is written, by what it goes, and why it cannot. */
export function useComposer(customer: CustomerDetail, sent: ((one: Outgoing) => void) | undefined) {
  const { kind, choose, draft, write, take } = useDraft(customer);
  const answered = useAnswered(customer.id, kind, draft);
  const openUntil = useWindow(customer);
  const leavesAt = leavesTheFirm(kind) ? (draft.leavesAt ?? null) : null;
  const isClosed = kind === 'MESSAGING_APP' && !isOpenAt(openUntil, leavesAt);
  const template = useTemplate(customer, isClosed);
  const room = isClosed ? roomFor(draft.body) : unlimited;
  const files = useFilesOf(customer.id, { kind, draft, write, isClosed });
  const now = useNow();
  const field = useRef<HTMLTextAreaElement>(null);
  const goTo = (next: Kind) => {
    choose(next);
    field.current?.focus();
  };
  useHandedOver(customer.id, goTo);
  const mayNot =
    obstacle(kind, customer) ??
    missing(kind, draft) ??
    (leavesAt !== null && Date.parse(leavesAt) <= now ? 'the time it is to leave at is over' : null) ??
    (kind === 'CALL_LOG' && draft.wasAt && Date.parse(draft.wasAt) > now ? 'it is still to come' : null) ??
    files.mayNot ??
    (template.state === 'none_approved' ? 'no template is approved' : room.problem);
  const go = () => {
    if (mayNot !== null) return;
    const chosen = template.state === 'to_choose' ? template.chosen : null;
    const one = send(customer.id, kind, { ...draft, subject: draft.subject.trim(), answers: answered }, chosen);
    take(kind, emptyDraft);
    if (kind !== 'INTERNAL_NOTE') sent?.(one);
  };
  const letGo = () => write(() => ({ answers: null }));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && answered) {
      event.stopPropagation();
      letGo();
    }
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    go();
  };
  const change = (one: Outgoing) => {
    takeBack(one);
    goTo(one.kind);
  };
  const earlier = { value: draft.wasAt ?? null, change: (at: string | null) => write(() => ({ wasAt: at })) };
  const later = { value: leavesAt, change: (at: string | null) => write(() => ({ leavesAt: at })) };
  return {
    later,
    earlier,
    kind,
    choose,
    draft,
    write,
    answered,
    letGo,
    openUntil,
    template,
    room,
    files,
    field,
    mayNot,
    go,
    change,
    onKeyDown,
  };
}

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
  const mayNot = problem ?? (uploading.length > 0 ? 'a file is not there yet' : null);
  return { list: { files: chosen, uploading, remove, again, drop, problem }, add, obstacle, mayNot };
}

/** Until when the messaging app takes free text; null: it does not, or no longer. */
function useWindow({ window_open_until: until }: CustomerDetail): string | null {
  const now = useNow();
  return until !== null && Date.parse(until) > now ? until : null;
}

function missing(kind: Kind, { subject, body }: { subject: string; body: string }): string | null {
  if (body.trim() === '') return 'nothing is written yet';
  return kind === 'CALL_LOG' && subject.trim() === '' ? 'what the call was about is missing' : null;
}
