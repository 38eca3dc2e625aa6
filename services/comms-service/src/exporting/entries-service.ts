import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { type ExportLine, internalRoutes } from '@ops/contracts/internal-routes';
import type { ServiceName } from '@ops/contracts/routes';
import type { Db } from '@ops/service-kit/database';
import type { InternalClient } from '@ops/service-kit/internal-client';
import { piecesOf } from '@ops/service-kit/nameless-file';
import { attachmentContent } from '../attachments/attachment-service.ts';
import type { Entry } from './archive-writer.ts';
import { type KeptFile, pathOfBody, pathOfFile } from './names.rules.ts';
import { articleOf, contentsOf, pageBegin, pageEnd, type Row, type Section, sectionBegin } from './page-writer.ts';
import type { Part } from './part-client.ts';

/** What an archive is made of. */
export interface Archiving {
  db: Db;
  others: InternalClient;
  parts: readonly Part[];
  /** The page is written while the rows go by, and is in the archive after them. */
  page: FileHandle;
  customer: { id: string; name: string; aliases: readonly string[] };
  by: string;
  at: Date;
}

/** What the manifest says of one file. */
interface Taken {
  path: string;
  from: ServiceName;
  rows?: number;
  bytes: number;
  sha256: string;
}

/** What was seen of it so far. */
interface Seen {
  taken: Taken[];
  sections: (Section & { rows: number })[];
  files: KeptFile[];
  bodies: { id: string; content_type: string | null }[];
}

/** One after the other, none before the one before was read: rows first, then the files they speak of, and what says what there is. */
export async function* entriesOf(archiving: Archiving): AsyncGenerator<Entry> {
  const seen: Seen = { taken: [], sections: [], files: [], bodies: [] };
  for (const part of archiving.parts) yield* kindsOf(archiving, part, seen);
  for (const file of seen.files)
    yield measured(seen, 'comms-service', {
      path: pathOfFile(file),
      content: contentOf(archiving, file),
      isText: false,
    });
  for (const body of seen.bodies)
    yield measured(seen, 'webhook-ingest', {
      path: pathOfBody(body.id, body.content_type),
      content: bodyOf(archiving, body.id),
      isText: true,
    });
  yield measured(seen, 'comms-service', { path: 'index.html', content: pageOf(archiving, seen), isText: true });
  yield { path: 'manifest.json', content: manifestOf(archiving, seen), isText: true };
}

async function* kindsOf(archiving: Archiving, { service, lines }: Part, seen: Seen): AsyncGenerator<Entry> {
  const iterator = lines[Symbol.asyncIterator]();
  let next = await iterator.next();
  async function* rows(): AsyncGenerator<Row> {
    for (next = await iterator.next(); !next.done && 'row' in next.value; next = await iterator.next())
      yield next.value.row;
  }
  while (!next.done && 'kind' in next.value) {
    const section = { service, ...next.value, rows: 0 };
    seen.sections.push(section);
    const content = jsonOf(archiving, section, rows(), seen);
    const path = `${service}/${section.kind}.json`;
    yield measured(seen, service, { path, content, isText: true }, section);
  }
  await requireEnd(service, next, iterator);
}

/** Its own word, and then nothing: what ends without it is not all. */
async function requireEnd(service: string, last: IteratorResult<ExportLine>, rest: AsyncIterator<ExportLine>) {
  const isEnd = !last.done && 'end' in last.value;
  if (!isEnd || !(await rest.next()).done) throw new Error(`${service} told what it does not promise`);
}

const gatheredLength = 64 * 1024;

/** Rows are many and small: they go on a piece at a time. */
async function* jsonOf({ page }: Archiving, section: Seen['sections'][number], rows: AsyncIterable<Row>, seen: Seen) {
  let [html, json] = [sectionBegin(section), '['];
  for await (const row of rows) {
    html += articleOf(section, row);
    json += `${section.rows === 0 ? '' : ','}\n${JSON.stringify(row)}`;
    section.rows += 1;
    remember(section, row, seen);
    if (html.length + json.length < gatheredLength) continue;
    await page.writeFile(html);
    yield json;
    [html, json] = ['', ''];
  }
  await page.writeFile(html);
  yield `${json}\n]\n`;
}

/** What has content of its own. */
function remember({ service, kind }: Section, row: Row, { files, bodies }: Seen): void {
  if (service === 'comms-service' && kind === 'files' && row.state === 'STORED') {
    const { id, role, name, media_type } = row as unknown as KeptFile;
    files.push({ id, role, name, media_type });
  }
  if (service === 'webhook-ingest' && kind === 'webhook-deliveries' && row.body === 'theirs') {
    const { id, content_type } = row as unknown as Seen['bodies'][number];
    bodies.push({ id, content_type });
  }
}

/** What is not there any more by then ends the archive: it would not be all that was told. */
async function* contentOf({ db }: Archiving, { id }: KeptFile): AsyncGenerator<Buffer> {
  yield* (await attachmentContent(db, id)).content as AsyncIterable<Buffer>;
}

async function* bodyOf({ others }: Archiving, id: string): AsyncGenerator<Buffer> {
  const stream = await others.stream('webhook-ingest', internalRoutes.getDeliveryBody, { params: { id } });
  for await (const bytes of stream) yield Buffer.from(bytes);
}

async function* pageOf({ page, customer, at }: Archiving, { sections }: Seen): AsyncGenerator<string | Buffer> {
  yield pageBegin(customer, at.toISOString());
  yield contentsOf(sections);
  yield* piecesOf(page, (await page.stat()).size);
  yield pageEnd;
}

async function* manifestOf({ customer, by, at }: Archiving, { taken }: Seen): AsyncGenerator<string> {
  const { id, aliases } = customer;
  const said = { customer_id: id, aliases, exported_at: at.toISOString(), exported_by: by, files: taken };
  yield `${JSON.stringify(said, undefined, 2)}\n`;
}

/** The manifest tells of it once it was read to its end. */
const measured = (seen: Seen, from: ServiceName, entry: Entry, section?: { rows: number }): Entry => ({
  ...entry,
  content: (async function* () {
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const piece of entry.content) {
      digest.update(piece);
      bytes += Buffer.byteLength(piece);
      yield piece;
    }
    const { path } = entry;
    seen.taken.push({ path, from, ...(section && { rows: section.rows }), bytes, sha256: digest.digest('hex') });
  })(),
});
