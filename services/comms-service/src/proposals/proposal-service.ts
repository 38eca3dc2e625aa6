import { isDeepStrictEqual } from 'node:util';
import type { Page } from '@ops/contracts/pagination';
import type { Proposal } from '@ops/contracts/resources/proposal';
import type { Actor } from '@ops/contracts/roles';
import { type AuditSubject, actIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { conflict, notFound, ProblemError } from '@ops/service-kit/errors';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { v7 as uuidv7 } from 'uuid';
import {
  aDayAfter,
  decideCallOff,
  decideConfirm,
  inVainSince,
  proposedDays,
  unconfirmedSince,
} from './proposal.rules.ts';
import * as store from './proposal-store.ts';

export { aliasesProposed, findNewest } from './proposal-store.ts';

export interface ProposalDeps {
  now: () => Date;
  /** False: a firm with one admin, who proposes and waits a day. */
  secondPerson: boolean;
}

/**
 * Whoever owns what a proposal changes does so, in the transaction that ends the proposal; or changes nothing and says why it cannot
 * be so any more.
 */
type Effect = (trx: Trx, proposal: Proposal) => Promise<{ declined: string } | undefined>;
export type Effects = Record<Proposal['kind'], Effect>;

export interface Asked extends Pick<Proposal, 'kind'> {
  /** What it is of: one proposal of a kind waits for each. */
  subject_id: string;
  keep_days?: Proposal['keep_days'];
  /** Who else a customer is. */
  aliases?: readonly string[];
}

/** The same again is the one that is open. */
export async function propose(
  { now, secondPerson }: ProposalDeps,
  trx: Trx,
  { kind, subject_id, keep_days = {}, aliases = [] }: Asked,
  actor: Actor,
): Promise<Proposal> {
  const proposed_at = now();
  const made = await store.insertProposal(trx, {
    kind,
    subject_id,
    keep_days,
    aliases,
    id: uuidv7(),
    status: secondPerson ? 'PROPOSED' : 'CONFIRMED',
    proposed_by: actor.sub,
    proposed_at,
    effective_at: secondPerson ? null : aDayAfter(proposed_at),
  });
  if (made) {
    await tell(trx, undefined, made);
    return made;
  }
  const open = await store.findOpen(trx, kind, subject_id);
  if (open && isDeepStrictEqual(open.keep_days, keep_days)) return open;
  throw conflict('Something else was proposed and waits; call that off first');
}

export async function confirm({ now }: ProposalDeps, trx: Trx, id: string, actor: Actor): Promise<Proposal> {
  const before = await lock(trx, id);
  const decision = decideConfirm(before, actor.sub);
  if (decision === 'same') return before;
  if (decision !== 'yes') throw refusals[decision]();
  const after = await store.confirm(trx, id, actor.sub, aDayAfter(now()));
  await tell(trx, before, after);
  return after;
}

export async function callOff({ now }: ProposalDeps, trx: Trx, id: string, actor: Actor): Promise<Proposal> {
  const before = await lock(trx, id);
  const decision = decideCallOff(before);
  if (decision === 'same') return before;
  if (decision !== 'yes') throw refusals[decision]();
  const after = await store.end(trx, id, { status: 'CALLED_OFF', by: actor.sub }, now());
  await tell(trx, before, after);
  return after;
}

const refusals = {
  done: () => conflict('It has taken effect'),
  over: () => conflict('It is over and came to nothing; propose it again'),
  same_person: () =>
    new ProblemError(409, 'same_person', { detail: 'Another admin than the one who proposed it confirms it' }),
};

async function lock(trx: Trx, id: string): Promise<Proposal> {
  const found = await store.lockProposal(trx, id);
  if (!found) throw notFound('Nothing of this id was proposed');
  return found;
}

export async function listWaiting(
  { now }: ProposalDeps,
  db: Db,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<Proposal>> {
  const position = decodeCursor(cursor, ['uuid']);
  const found = await store.listWaiting(db, inVainSince(now()), position?.[0], limit + 1);
  return toPage(found, limit, ({ id }) => [id]);
}

/** Each in a transaction of its own: what was called off before its turn does not take effect, and what took effect is not called off. */
export async function takeEffect(now: () => Date, effects: Effects, db: Db): Promise<void> {
  await store.expire(db, unconfirmedSince(now()), now());
  while (await inTransaction(db, (trx) => takeOne(now, effects, trx)));
}

async function takeOne(now: () => Date, effects: Effects, trx: Trx): Promise<boolean> {
  const due = await store.lockDue(trx, now());
  if (!due) return false;
  const sub = due.confirmed_by ?? due.proposed_by;
  actIn(trx, { actor: { sub, role: 'admin' }, requestId: due.id, action: 'confirmProposal' });
  const declined = await effects[due.kind](trx, due);
  if (!declined) {
    await store.end(trx, due.id, { status: 'DONE', by: null }, now());
    return true;
  }
  const after = await store.end(trx, due.id, { status: 'DECLINED', by: null, reason: declined.declined }, now());
  await tell(trx, due, after);
  return true;
}

/** Of a customer's erasure it is what stays in who changed what, with its values. */
export const subjectOf = ({ customer_id }: Pick<Proposal, 'customer_id'>): AuditSubject =>
  customer_id === null ? { kind: 'retention', id: 'retention' } : { kind: 'erasure', id: customer_id, customer_id };

const facts = ({ status, reason, keep_days }: Proposal) => ({
  proposal: status,
  ...(reason !== null && { reason }),
  proposed_days: proposedDays(keep_days),
});

const tell = (trx: Trx, before: Proposal | undefined, after: Proposal) =>
  audit(trx, {
    subject: subjectOf(after),
    before: before ? facts(before) : { proposed_days: {} },
    after: facts(after),
  });
