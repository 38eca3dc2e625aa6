import { isDeepStrictEqual } from 'node:util';
import type { CannedReplies, CannedScope, PutCannedReplies } from '@ops/contracts/resources/canned-reply';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { unprocessable } from '@ops/service-kit/errors';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './canned-reply-store.ts';

/** Nobody is called so: a subject has letters. */
const everybody = '';
const ownerOf = (scope: CannedScope, { sub }: Actor): string => (scope === 'own' ? sub : everybody);

/** Of the replies of everybody: nobody else changes one's own. */
export const historyOfCannedReplies = (db: Db, query: HistoryQuery) => historyOf(db, subjectOf(everybody), query);

const subjectOf = (owner: string) => ({ kind: 'canned_replies', id: owner || 'shared' }) as const;

const none = { replies: [], signature: null, version: 0, updated_at: null, updated_by: null };

export async function getCannedReplies(db: Db, scope: CannedScope, actor: Actor): Promise<CannedReplies> {
  return { scope, ...((await store.read(db, ownerOf(scope, actor))) ?? none) };
}

export async function putCannedReplies(
  { now }: Pick<Deps, 'now'>,
  trx: Trx,
  scope: CannedScope,
  input: PutCannedReplies,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<CannedReplies> {
  const owner = ownerOf(scope, actor);
  const before = (await store.lock(trx, owner)) ?? none;
  requireMatch(ifMatch, before.version);
  if (scope === 'shared' && input.signature)
    throw unprocessable([{ path: 'signature', message: 'is of one’s own replies only' }]);
  const { replies, signature = before.signature } = input;
  if (isDeepStrictEqual(writtenOf(before), { replies, signature })) return { scope, ...before };
  await audit(trx, {
    subject: subjectOf(owner),
    before: writtenOf(before),
    after: { replies, signature },
  });
  const version = before.version + 1;
  const saved = await store.save(trx, { owner, replies, signature, version, updated_at: now(), updated_by: actor.sub });
  return { scope, ...saved };
}

const writtenOf = ({ replies, signature }: Pick<CannedReplies, 'replies' | 'signature'>) => ({ replies, signature });
