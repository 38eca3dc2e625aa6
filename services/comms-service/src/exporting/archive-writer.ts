import { type PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';

/** One file of an archive. */
export interface Entry {
  path: string;
  content: AsyncIterable<string | Buffer>;
  /** What people and programs wrote; files mostly are compressed by their own making. */
  isText: boolean;
}

/**
 * A zip of these, one after the other, each read as fast as whoever asked takes it. Its list of contents stands at its end, so what
 * breaks off is no archive: should an entry fail, so does this.
 */
export async function* zipOf(entries: AsyncIterable<Entry>, at: Date): AsyncGenerator<Buffer> {
  const zip = new ZipFile();
  const out = zip.outputStream as PassThrough;
  const stopped = new AbortController();
  const adding = addAll(zip, entries, at, stopped.signal).catch((error: unknown) => void out.destroy(asError(error)));
  zip.on('error', (error: Error) => out.destroy(error));
  try {
    yield* out;
  } finally {
    stopped.abort();
    await adding;
  }
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

async function addAll(zip: ZipFile, entries: AsyncIterable<Entry>, mtime: Date, signal: AbortSignal): Promise<void> {
  for await (const { path, content, isText } of entries) {
    const stream = Readable.from(content);
    zip.addReadStream(stream, path, { compress: isText, mtime });
    await finished(stream, { signal }).finally(() => stream.destroy());
  }
  zip.end();
}
