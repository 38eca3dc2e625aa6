import type { Attachment, CustomerFilesQuery } from '@ops/contracts/resources/communication';
import type { Actor } from '@ops/contracts/roles';
import type { Db, Trx } from '@ops/service-kit/database';
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
  deps: Deps,
  trx: Trx,
  customer_id: string,
  name: string,
  { bytes: content, mediaType: media_type }: UploadedFile,
  actor: Actor,
): Promise<Attachment> {
  await holdHome(trx, customer_id);
  const kept = fileName(name, media_type);
  const reason = reasonAgainstName(kept);
  if (reason !== undefined) throw unprocessable([{ path: 'name', message: reason }]);
  const upload = { id: uuidv7(), customer_id, name: kept, media_type, content };
  return toAttachment(await store.insertUpload(trx, { ...upload, created_by: actor.sub, created_at: deps.now() }));
}

/** Pictures are shown, and recordings played, where they stand, and PDFs beside; everything else is saved. The HTML of a mail is shown cleaned, or not at all. */
export async function serveAttachment(db: Db, id: string): Promise<FileReply> {
  const file = await store.findAttachment(db, id);
  if (!file || file.role === 'html') throw noFile(id);
  const content = await contentOf(db, file);
  const shown = shownType(file.media_type, content);
  const type = shown === null ? 'attachment' : 'inline';
  return {
    content,
    mediaType: shown ?? 'application/octet-stream',
    headers: {
      'Content-Security-Policy': policyOf(shown),
      ...(shown === 'application/pdf' && { 'X-Frame-Options': 'SAMEORIGIN' }),
      'Content-Disposition': contentDisposition(fileName(file.name, file.media_type), { type }),
    },
  };
}

/** For the sender: the bytes as they are. */
export async function attachmentContent(db: Db, id: string): Promise<FileReply> {
  const file = await store.findAttachment(db, id);
  if (!file) throw noFile(id);
  return { content: await contentOf(db, file), mediaType: 'application/octet-stream' };
}

async function contentOf(db: Db, { id, state }: StoredAttachment): Promise<Buffer> {
  const content = await store.readContent(db, id);
  if (!content) throw notFound(`The file ${id} is not there: ${state}`);
  return content;
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
