import { buffer } from 'node:stream/consumers';
import type { Attachment, CustomerFilesQuery } from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import { type Db, reading, type Trx } from '@ops/service-kit/database';
import { conflict, notFound, unprocessable } from '@ops/service-kit/errors';
import type { FileReply } from '@ops/service-kit/http-app';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import type { UploadedFile } from '@ops/service-kit/request-input';
import { create as contentDisposition } from 'content-disposition';
import { v7 as uuidv7 } from 'uuid';
import { holdHome, requireHome } from '../aliases/alias-service.ts';
import type { Deps } from '../deps.ts';
import { announceChange } from '../records/record-service.ts';
import {
  bytesThatTell,
  fileName,
  policyOf,
  reasonAgainstName,
  type StoredAttachment,
  shownType,
  toAttachment,
} from './attachment.rules.ts';
import * as store from './attachment-store.ts';

export { useUploads } from './attachment-store.ts';

export async function uploadAttachment(
  deps: Deps & { unsentMaxBytes: number },
  trx: Trx,
  customer_id: string,
  name: string,
  { size, chunks, mediaType: media_type }: UploadedFile,
  actor: Actor,
): Promise<Attachment> {
  await holdHome(trx, customer_id);
  const kept = fileName(name, media_type);
  const reason = reasonAgainstName(kept);
  if (reason !== undefined) throw unprocessable([{ path: 'name', message: reason }]);
  if ((await store.unsentBytes(trx, actor.sub)) + size > deps.unsentMaxBytes)
    throw conflict('Your files that were not sent yet are too many: send some, or wait until they are removed');
  const content = await buffer(chunks());
  const upload = { id: uuidv7(), customer_id, name: kept, media_type, content };
  return toAttachment(await store.insertUpload(trx, { ...upload, created_by: actor.sub, created_at: deps.now() }));
}

/** Pictures are shown, and recordings played, where they stand, and PDFs beside; everything else is saved. The HTML of a mail is shown cleaned, or not at all. */
export async function serveAttachment(db: Db, id: string): Promise<{ customerId: string | null; file: FileReply }> {
  const file = await store.findAttachment(db, id);
  if (!file || file.role === 'html') throw noFile(id);
  const content = await contentOf(db, file);
  const shown = shownType(file.media_type, await pieceOf(db, file, 0, bytesThatTell));
  const type = shown === null ? 'attachment' : 'inline';
  const reply = {
    content: content.pieces,
    mediaType: shown ?? 'application/octet-stream',
    headers: {
      ...content.headers,
      'Content-Security-Policy': policyOf(shown),
      ...(shown === 'application/pdf' && { 'X-Frame-Options': 'SAMEORIGIN' }),
      'Content-Disposition': contentDisposition(fileName(file.name, file.media_type), { type }),
    },
  };
  return { customerId: await store.customerOf(db, id), file: reply };
}

/** For the sender: the bytes as they are. */
export async function attachmentContent(db: Db, id: string): Promise<FileReply> {
  const file = await store.findAttachment(db, id);
  if (!file) throw noFile(id);
  const { pieces, headers } = await contentOf(db, file);
  return { content: pieces, mediaType: 'application/octet-stream', headers };
}

async function contentOf(db: Db, file: StoredAttachment) {
  const size = (await store.sizeOfContent(db, file.id)) ?? notThere(file);
  return { pieces: piecesOf(db, file, size), headers: { 'Content-Length': String(size) } };
}

const pieceBytes = 256 * 1024;

/** Read as fast as whoever asked takes it, so that a file costs no more memory than a piece of it. */
async function* piecesOf(db: Db, file: StoredAttachment, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += pieceBytes) yield await reading(() => pieceOf(db, file, at, pieceBytes));
}

const pieceOf = async (db: Db, file: StoredAttachment, at: number, bytes: number): Promise<Buffer> =>
  (await store.pieceOf(db, file.id, at, bytes)) ?? notThere(file);

function notThere({ id, state }: StoredAttachment): never {
  throw notFound(`The file ${id} is not there: ${state}`);
}

const noFile = (id: string) => notFound(`There is no file ${id}`);

/** What came and went with the customer, newest first; what was uploaded and not sent yet is none of it. */
export async function listCustomerFiles(db: Db, customerId: string, query: CustomerFilesQuery) {
  const home = await requireHome(db, customerId);
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const after = position && { occurredAt: position[0], id: position[1] };
  const found = await store.filesOfCustomer(db, home, after, query.limit + 1);
  return toPage(found, query.limit, (file) => [file.occurred_at, file.id]);
}

/** Has a file that could not be fetched fetched again; one that is being fetched stays as it is. */
export async function retryAttachment(deps: Deps, trx: Trx, id: string): Promise<Attachment> {
  const file = await store.lockAttachment(trx, id);
  if (!file?.communication_id) throw noFile(id);
  if (file.state === 'PENDING') return toAttachment(file);
  if (file.state !== 'FAILED')
    throw conflict(`Only a file that could not be fetched is fetched again; it is ${file.state}`);
  const at = deps.now();
  await store.fetchAgain(trx, id, at);
  await announceFile(deps, trx, file.communication_id, at);
  return toAttachment({ ...file, state: 'PENDING', failure: null });
}

/** Something about a file of this record changed. */
export async function announceFile(deps: Deps, trx: Trx, communicationId: string, at: Date): Promise<void> {
  const record = await store.findTold(trx, communicationId);
  if (record) await announceChange(deps, trx, 'attachment', at, [record]);
}
