import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Request } from 'express';
import { badRequest, tooLarge, unsupportedMediaType } from '../errors.ts';
import { openNameless, piecesOf } from './nameless-file.ts';

/** A file as it was posted, however large: on disk, and read from there a piece at a time. */
export interface SpooledFile {
  size: number;
  sha256: string;
  /** The content, from its beginning each time. */
  chunks(): AsyncIterable<Buffer>;
  close(): Promise<void>;
}

/** The body of a request is put on disk while it comes in, so that a large one is never in memory as a whole. */
export async function spool(req: Request, mostBytes: number): Promise<SpooledFile> {
  refuseUnread(req, mostBytes);
  const file = await openNameless();
  try {
    const { size, sha256 } = await write(req, file, mostBytes);
    return { size, sha256, chunks: () => piecesOf(file, size), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Refuses what can be refused by the headers alone, before the body is sent. */
function refuseUnread(req: Request, mostBytes: number): void {
  if (Number(req.headers['content-length'] ?? 0) > mostBytes) throw overLimit();
  const coding = req.get('Content-Encoding') ?? 'identity';
  if (coding.toLowerCase() !== 'identity') throw unsupportedMediaType('The body must not be compressed');
}

const overLimit = () => tooLarge('The body is over the limit');

async function write(req: Request, file: FileHandle, mostBytes: number) {
  const digest = createHash('sha256');
  let size = 0;
  for await (const chunk of received(req)) {
    size += chunk.length;
    if (size > mostBytes) throw overLimit();
    digest.update(chunk);
    await file.writeFile(chunk);
  }
  return { size, sha256: digest.digest('hex') };
}

/** What is left unread of a body that is refused stays unread, so that there is a connection to say so on. */
async function* received(req: Request): AsyncGenerator<Buffer> {
  try {
    yield* req.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw badRequest(req.destroyed ? 'The request ended before its body did' : String(error));
  }
}
