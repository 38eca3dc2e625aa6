import { type Acting, actIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction } from '@ops/service-kit/database';
import type { Exporting } from '@ops/service-kit/exporting';
import type { FileReply } from '@ops/service-kit/http-app';
import type { InternalClient } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';
import { openNameless } from '@ops/service-kit/nameless-file';
import { create as contentDisposition } from 'content-disposition';
import { aliasesOf } from '../aliases/alias-service.ts';
import { getCustomer } from '../customers/customer-service.ts';
import { externalsOf, portionsOfItems } from '../records/record-service.ts';
import { zipOf } from './archive-writer.ts';
import { type Archiving, entriesOf } from './entries-service.ts';
import { nameOfArchive } from './names.rules.ts';
import { closeAll, openParts } from './part-client.ts';

export interface ExportDeps {
  now: () => Date;
  exporting: Exporting;
  others: InternalClient;
  logger: Logger;
}

/**
 * All that is held of a customer. Every service has begun to tell, and it is written down who took it, before the first of it leaves.
 */
export async function exportCustomer(
  { now, exporting, others, logger }: ExportDeps,
  db: Db,
  asked: string,
  by: Acting,
): Promise<FileReply> {
  const { id, name } = await getCustomer(db, asked);
  const aliases = await aliasesOf(db, id);
  const ids = [id, ...aliases];
  const told = { records: await itemsOf(db, ids), externals: await externalsOf(db, ids) };
  const parts = await openParts(exporting, others, { customer_ids: ids, ...told });
  const page = await openNameless();
  const close = async () => {
    await closeAll(parts);
    await page.close();
  };
  const at = now();
  await writeDown(db, id, by).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const archiving: Archiving = { db, others, parts, page, customer: { id, name, aliases }, by: by.actor.sub, at };
  return {
    content: closing(zipOf(entriesOf(archiving), at), close, logger),
    mediaType: 'application/zip',
    headers: { 'Content-Disposition': contentDisposition(nameOfArchive(id, at)) },
  };
}

const itemsAtOnce = 5_000;

async function itemsOf(db: Db, ids: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for await (const items of portionsOfItems(db, ids, itemsAtOnce)) all.push(...items);
  return all;
}

const writeDown = (db: Db, id: string, by: Acting): Promise<void> =>
  inTransaction(db, (trx) => {
    actIn(trx, by);
    return audit(trx, { subject: { kind: 'customer', id, customer_id: id }, before: {}, after: { exported: true } });
  });

/** Whoever goes before the first piece closes it all the same; a generator that has not begun would not notice. */
const closing = (
  content: AsyncGenerator<Buffer>,
  close: () => Promise<void>,
  logger: Logger,
): AsyncIterable<Buffer> => ({
  [Symbol.asyncIterator]() {
    const end = async () => {
      await content.return(undefined);
      await close();
      return { done: true as const, value: undefined };
    };
    const next = async () => {
      const piece = await content.next().catch(async (error: unknown) => {
        logger.warn({ err: error }, 'an archive of a customer broke off; whoever took it has none');
        await close();
        throw error;
      });
      if (piece.done) await close();
      return piece;
    };
    return { next, return: end };
  },
});
