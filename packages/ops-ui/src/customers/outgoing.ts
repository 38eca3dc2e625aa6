import { useSyncExternalStore } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import type { MessagingTemplate } from '../api/types.ts';
import { whoAmI } from '../session/session.ts';
import { before, type Draft, emptyDraft, hasSubject, type Kind, leavesTheFirm } from './compose.ts';

/** Written and not yet taken by the service. */
export interface Outgoing {
  /** Repeated with every try, so that none makes a second record. */
  key: string;
  customerId: string;
  kind: Kind;
  draft: Draft;
  /** Chosen for it, if one has to carry the words. */
  template: MessagingTemplate | null;
  /** Unknown: no answer came, and it may have been taken all the same. */
  state: 'waiting' | 'sending' | 'refused' | 'unknown';
  /** Why it was refused. */
  problem?: string;
}

/** Long enough to see a slip of the pen. */
const undoMs = 5_000;

/** Of this tab, so that no other one sends it too. */
const place = 'outgoing';

let outgoing: readonly Outgoing[] = JSON.parse(sessionStorage.getItem(place) ?? '[]');
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const listeners = new Set<() => void>();

function set(next: readonly Outgoing[]): void {
  outgoing = next;
  sessionStorage.setItem(place, JSON.stringify(next));
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
  set([...outgoing, { key, customerId, kind, draft, template, state: 'waiting' }]);
  keepDraft(customerId, kind, emptyDraft);
  if (!leavesTheFirm(kind)) void deliver(key);
  else
    timers.set(
      key,
      setTimeout(() => deliver(key), undoMs),
    );
}

/** Hands the words back, before whatever was written since. */
export function takeBack({ key, customerId, kind, draft }: Outgoing): Draft {
  clearTimeout(timers.get(key));
  drop(key);
  const joined = before(draft, readDraft(customerId, kind));
  keepDraft(customerId, kind, joined);
  return joined;
}

/** `keepalive`: it goes on when the page is gone. */
export async function deliver(key: string, { keepalive = false } = {}): Promise<void> {
  const one = outgoing.find((other) => other.key === key);
  if (!one || one.state === 'sending') return;
  clearTimeout(timers.get(key));
  change(key, { state: 'sending' });
  try {
    await post(one, keepalive);
    drop(key);
  } catch (error) {
    const { status, message } = asProblem(error);
    change(key, status === 0 || status >= 500 ? { state: 'unknown' } : { state: 'refused', problem: message });
  }
}

/** Who leaves the page has sent what they sent. */
export const deliverWaiting = (how?: { keepalive: boolean }): Promise<unknown> =>
  Promise.all(outgoing.filter(({ state }) => state === 'waiting').map(({ key }) => deliver(key, how)));

addEventListener('pagehide', () => void deliverWaiting({ keepalive: true }));

// What the page was left with, if anything: a repeat of what was taken by then is answered as the first time.
for (const { key, state } of outgoing) if (state === 'sending') change(key, { state: 'waiting' });
void deliverWaiting();

function post({ key, customerId, kind, draft: { subject, body }, template }: Outgoing, keepalive: boolean) {
  const params = { path: { id: customerId }, header: { 'Idempotency-Key': key } };
  if (kind === 'INTERNAL_NOTE') return api.POST('/ops/customers/{id}/notes', { params, body: { body }, keepalive });
  return api.POST('/ops/customers/{id}/communications', {
    params,
    body: {
      ...{ type: kind, body, direction: kind === 'CALL_LOG' ? ('INTERNAL' as const) : ('OUTBOUND' as const) },
      ...(hasSubject(kind) && subject !== '' && { subject }),
      ...(template && { template }),
    },
    keepalive,
  });
}

/** Nobody finds what somebody else typed at the same browser. */
const draftKey = (customerId: string, kind: Kind) => `draft ${whoAmI()} ${customerId} ${kind}`;

/** What was typed survives a reload, until it is sent. */
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
