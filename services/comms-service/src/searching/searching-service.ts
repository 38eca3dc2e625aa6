import type { FoundCommunication, FoundPage, SearchQuery } from '@ops/contracts/resources/search';
import { type Db, inTransaction, type Trx } from '@ops/service-kit/database';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import * as store from './searching-store.ts';
import { snippetOf } from './snippet.rules.ts';

/** For staff, who see everything; nobody else has this route. */
export async function searchCommunications(db: Db, { q, cursor, limit }: SearchQuery): Promise<FoundPage> {
  const position = decodeCursor(cursor, ['instant', 'uuid']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const { isPartial, found } = await store.findByWords(db, q, after, limit + 1);
  const page = toPage(found, limit, ({ occurred_at, id }) => [occurred_at, id]);
  return { ...page, data: page.data.map((row) => shown(row, q)), is_partial: isPartial };
}

function shown({ subject, body, edits, ...record }: store.FoundRow, q: string): FoundCommunication {
  const texts = [edits.at(-1) ?? body, subject ?? '', body, ...edits].filter((text) => text !== '');
  return { ...record, snippet: snippetOf(texts, q) };
}

const mostAtOnce = 500;

/** Of what was in the log before words were kept, after an upgrade; each portion for itself, and each time on from there. */
export async function catchUpWithWords(db: Db, goesOn = () => true): Promise<void> {
  while (goesOn() && (await inTransaction(db, writeSome)));
}

/** False when there is nothing left to do. */
async function writeSome(trx: Trx): Promise<boolean> {
  const before = await store.takeWordsToCome(trx);
  if (before === undefined) return false;
  if ((await store.writeWords(trx, before, mostAtOnce)) > 0) return true;
  await store.endWordsToCome(trx);
  return false;
}
