import { useSyncExternalStore } from 'react';
import { api } from '../api/client.ts';
import { asProblem, type ProblemError } from '../api/problem.ts';
import type { MessagingTemplate } from '../api/types.ts';
import { whoAmI } from '../session/session.ts';
import { before, type Draft, emptyDraft, hasSubject, isEmpty, type Kind, kinds, leavesTheFirm } from './compose.ts';
import { stillNamed } from './mentions.ts';
import { signed } from './signature.ts';

/** Written and not yet taken by the service. */
export interface Outgoing {
  /** Repeated with every try, so that none makes a second record. */
  key: string;
  /** Nobody sends, or sees, what somebody else wrote at the same browser. */
  author: string;
  customerId: string;
  kind: Kind;
  draft: Draft;
  /** Chosen for it, if one has to carry the words. */
  template: MessagingTemplate | null;
  /** What stands below it; left out by what was kept by the version before. */
  signature?: string | null;
  /** Until then it can be taken back. */
  leavesAt: number;
  /** Unknown: no answer came, and it may have been taken all the same. */
  state: 'waiting' | 'sending' | 'refused' | 'unknown';
  /** Why it was refused. */
  problem?: string;
}

/** Somebody has to look at it. */
export const isNotTaken = ({ state }: Outgoing): boolean => state === 'refused' || state === 'unknown';

/** Long enough to see a slip of the pen. */
const undoMs = 5_000;

/** The service knows a key for 24 hours; later the same request would be a second message. */
const keyKnownMs = 23 * 3_600_000;
export const canRepeat = ({ leavesAt }: Outgoing): boolean => Date.now() < leavesAt + keyKnownMs;

/** One item each, so that no tab writes over what another one keeps. It outlasts the tab: words are never lost. */
const prefix = 'outgoing ';

function readAll(): readonly Outgoing[] {
  const keys = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  return keys
    .flatMap((name) => read(name.slice(prefix.length)) ?? [])
    .sort((one, other) => one.leavesAt - other.leavesAt);
}

function read(key: string): Outgoing | undefined {
  const one = JSON.parse(localStorage.getItem(prefix + key) ?? 'null') as Outgoing | null;
  return one?.author === whoAmI() ? one : undefined;
}

let outgoing: readonly Outgoing[] = [];
const timers = new Map<string, ReturnType<typeof setTimeout>>();
const underWay = new Set<string>();
const listeners = new Set<() => void>();

function readAnew(): void {
  outgoing = readAll();
  for (const listener of listeners) listener();
}

function keep(one: Outgoing): void {
  localStorage.setItem(prefix + one.key, JSON.stringify(one));
  readAnew();
}

/** What was taken or taken back meanwhile stays so. */
function change(key: string, by: Partial<Outgoing>): void {
  const one = read(key);
  if (one) keep({ ...one, ...by });
}

function drop(key: string): void {
  localStorage.removeItem(prefix + key);
  readAnew();
}

export const useOutgoing = (): readonly Outgoing[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => outgoing,
  );

/** What leaves the firm waits a moment, in which it can be taken back. */
export function send(
  customerId: string,
  kind: Kind,
  draft: Draft,
  more: Pick<Outgoing, 'template' | 'signature'>,
): Outgoing {
  const leavesAt = Date.now() + (leavesTheFirm(kind) ? undoMs : 0);
  const one: Outgoing = {
    key: crypto.randomUUID(),
    author: whoAmI(),
    customerId,
    kind,
    draft,
    ...more,
    leavesAt,
    state: 'waiting',
  };
  keep(one);
  keepDraft(customerId, kind, emptyDraft);
  if (leavesTheFirm(kind)) deliverInTime(one);
  else void deliver(one.key);
  return one;
}

function deliverInTime({ key, leavesAt }: Outgoing): void {
  clearTimeout(timers.get(key));
  timers.set(
    key,
    setTimeout(() => deliver(key), leavesAt - Date.now()),
  );
}

/** Whether it can be taken back still. */
export const stillWaits = ({ key }: Outgoing): boolean => read(key)?.state === 'waiting';

/** Hands the words back, before whatever was written since; `to` whom they were for, or who that is by now. */
export function takeBack({ key, customerId, kind, draft }: Outgoing, to = customerId): Draft {
  clearTimeout(timers.get(key));
  timers.delete(key);
  drop(key);
  const joined = before(draft, readDraft(to, kind));
  keepDraft(to, kind, joined);
  return joined;
}

/** `keepalive`: it goes on when the page is gone. */
export async function deliver(key: string, { keepalive = false } = {}): Promise<void> {
  clearTimeout(timers.get(key));
  timers.delete(key);
  const one = read(key);
  if (!one || underWay.has(key)) return;
  if (!canRepeat(one)) return change(key, isNotTaken(one) ? {} : { state: 'unknown' });
  underWay.add(key);
  change(key, { state: 'sending' });
  try {
    await post(one, keepalive);
    drop(key);
  } catch (error) {
    change(key, outcome(one, asProblem(error)));
  } finally {
    underWay.delete(key);
  }
}

/** What the gateway refuses before it asks anybody. */
const atTheDoor = [401, 403, 429];

/** A refusal at the door says nothing about an earlier try that got no answer. */
function outcome({ state }: Outgoing, { status, message }: ProblemError): Pick<Outgoing, 'state' | 'problem'> {
  const isInDoubt = state === 'sending' || state === 'unknown';
  if (status === 0 || status >= 500 || (isInDoubt && atTheDoor.includes(status))) return { state: 'unknown' };
  return { state: 'refused', problem: message };
}

/** Who leaves the page has sent what they sent there. */
export const deliverWaiting = (how?: { keepalive: boolean }): Promise<unknown> =>
  Promise.all([...timers.keys()].map((key) => deliver(key, how)));

addEventListener('pagehide', () => void deliverWaiting({ keepalive: true }));
addEventListener('storage', readAnew);

/**
 * What an earlier page was left with; once it is known who is there, for without the token of their session everything is
 * refused. A repeat of what was taken by then, or is sent by another tab, is answered as the first time.
 */
export function resumeSending(): void {
  readAnew();
  for (const one of outgoing) {
    if (one.state === 'waiting') deliverInTime(one);
    else if (one.state !== 'refused') void deliver(one.key);
  }
}

function post({ key, customerId, kind, draft, template, signature }: Outgoing, keepalive: boolean) {
  const { subject, answers, mentions, files = [], leavesAt, wasAt } = draft;
  const params = { path: { id: customerId }, header: { 'Idempotency-Key': key } };
  const body = signed(draft.body, signature);
  if (kind === 'INTERNAL_NOTE') {
    const named = stillNamed(body, mentions).map(({ id }) => id);
    const note = { body, ...(named.length > 0 && { mentions: named }) };
    return api.POST('/ops/customers/{id}/notes', { params, body: note, keepalive });
  }
  return api.POST('/ops/customers/{id}/communications', {
    params,
    body: {
      type: kind,
      body,
      direction: kind === 'CALL_LOG' ? ('INTERNAL' as const) : ('OUTBOUND' as const),
      ...(hasSubject(kind) && subject !== '' && { subject }),
      ...(answers && { in_reply_to: answers.id }),
      ...(wasAt && kind === 'CALL_LOG' && { occurred_at: wasAt }),
      ...(leavesAt && leavesTheFirm(kind) && { send_after: leavesAt }),
      ...(files.length > 0 && { attachments: files.map(({ id }) => id) }),
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

export function hasDraft(customerId: string, kind: Kind): boolean {
  return !isEmpty(readDraft(customerId, kind));
}

export function keepDraft(customerId: string, kind: Kind, draft: Draft): void {
  if (isEmpty(draft) && !draft.answers) localStorage.removeItem(draftKey(customerId, kind));
  else localStorage.setItem(draftKey(customerId, kind), JSON.stringify(draft));
}

/** What was typed under ids that lead to this customer by now, after what was typed here. */
export function takeDraftsAlong(from: readonly string[], to: string): void {
  for (const id of from)
    for (const kind of kinds)
      if (hasDraft(id, kind)) {
        keepDraft(to, kind, before(readDraft(to, kind), readDraft(id, kind)));
        keepDraft(id, kind, emptyDraft);
      }
}
