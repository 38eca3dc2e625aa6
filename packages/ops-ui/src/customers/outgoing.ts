import { useSyncExternalStore } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { MessagingTemplate } from '../api/types.ts';
import { type Draft, emptyDraft, hasSubject, type Kind, leavesTheFirm } from './compose.ts';

/** Written and not yet taken by the service. */
export interface Outgoing {
  /** Repeated with every try, so that none makes a second record. */
  key: string;
  customerId: string;
  kind: Kind;
  draft: Draft;
  /** Chosen for it, if one has to carry the words. */
  template: MessagingTemplate | null;
  state: 'waiting' | 'sending' | 'refused';
  /** Why it was refused. */
  problem?: string;
  timer?: ReturnType<typeof setTimeout>;
}

/** Long enough to see a slip of the pen. */
const undoMs = 5_000;

let outgoing: readonly Outgoing[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Outgoing[]): void {
  outgoing = next;
  for (const listener of listeners) listener();
}

const change = (key: string, by: Partial<Outgoing>) =>
  set(outgoing.map((one) => (one.key === key ? { ...one, ...by } : one)));
const drop = (key: string) => set(outgoing.filter((one) => one.key !== key));

export const useOutgoing = (): readonly Outgoing[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => outgoing,
  );

/** What leaves the firm waits a moment, in which it can be taken back. */
export function send(customerId: string, kind: Kind, draft: Draft, template: MessagingTemplate | null): void {
  const key = crypto.randomUUID();
  const one: Outgoing = { key, customerId, kind, draft, template, state: 'waiting' };
  if (leavesTheFirm(kind)) one.timer = setTimeout(() => deliver(key), undoMs);
  set([...outgoing, one]);
  if (!leavesTheFirm(kind)) void deliver(key);
}

/** Hands the words back. */
export function takeBack(key: string): Draft {
  const one = outgoing.find((other) => other.key === key);
  clearTimeout(one?.timer);
  drop(key);
  return one?.draft ?? emptyDraft;
}

export async function deliver(key: string): Promise<void> {
  const one = outgoing.find((other) => other.key === key);
  if (!one || one.state === 'sending') return;
  change(key, { state: 'sending' });
  try {
    await post(one);
    forgetDraft(one.customerId, one.kind, one.draft);
    drop(key);
  } catch (error) {
    change(key, { state: 'refused', problem: asProblem(error).message });
  }
}

function post({ key, customerId, kind, draft: { subject, body }, template }: Outgoing) {
  const params = { path: { id: customerId }, header: { 'Idempotency-Key': key } };
  if (kind === 'INTERNAL_NOTE') return api.POST('/ops/customers/{id}/notes', { params, body: { body } });
  return api.POST('/ops/customers/{id}/communications', {
    params,
    body: {
      ...{ type: kind, body, direction: kind === 'CALL_LOG' ? ('INTERNAL' as const) : ('OUTBOUND' as const) },
      ...(hasSubject(kind) && subject !== '' && { subject }),
      ...(template && { template }),
    },
  });
}

const draftKey = (customerId: string, kind: Kind) => `draft ${customerId} ${kind}`;

/** What was typed survives a reload, until the service has taken it. */
export function readDraft(customerId: string, kind: Kind): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(draftKey(customerId, kind)) ?? 'null') as Partial<Draft> | null;
    return { ...emptyDraft, ...kept };
  } catch {
    return emptyDraft;
  }
}

export function keepDraft(customerId: string, kind: Kind, draft: Draft): void {
  if (draft.subject === '' && draft.body === '') localStorage.removeItem(draftKey(customerId, kind));
  else localStorage.setItem(draftKey(customerId, kind), JSON.stringify(draft));
}

/** Unless something else is being written by now. */
function forgetDraft(customerId: string, kind: Kind, sent: Draft): void {
  const kept = readDraft(customerId, kind);
  if (kept.body === sent.body && kept.subject === sent.subject) keepDraft(customerId, kind, emptyDraft);
}
