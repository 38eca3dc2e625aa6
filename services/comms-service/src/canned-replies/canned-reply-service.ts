import { isDeepStrictEqual } from 'node:util';
import type { CannedReplies, CannedScope, PutCannedReplies } from '@ops/contracts/resources/canned-reply';
import type { Actor } from '@ops/contracts/roles';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './canned-reply-store.ts';

/** Nobody is called so: a subject has letters. */
const everybody = '';
const ownerOf = (scope: CannedScope, { sub }: Actor): string => (scope === 'own' ? sub : everybody);

const none = { replies: [], version: 0, updated_at: null, updated_by: null };

export async function getCannedReplies(db: Db, scope: CannedScope, actor: Actor): Promise<CannedReplies> {
  return { scope, ...((await store.read(db, ownerOf(scope, actor))) ?? none) };
}

export async function putCannedReplies(
  { now }: Pick<Deps, 'now'>,
  trx: Trx,
  scope: CannedScope,
  { replies }: PutCannedReplies,
  actor: Actor,
  ifMatch: string | undefined,
): Promise<CannedReplies> {
  const owner = ownerOf(scope, actor);
  const before = (await store.lock(trx, owner)) ?? none;
  requireMatch(ifMatch, before.version);
  if (isDeepStrictEqual(before.replies, replies)) return { scope, ...before };
  await audit(trx, {
    subject: { kind: 'canned_replies', id: owner || 'shared' },
    before: { replies: before.replies },
    after: { replies },
  });
  const version = before.version + 1;
  const saved = await store.save(trx, { owner, replies, version, updated_at: now(), updated_by: actor.sub });
  return { scope, ...saved };
}
