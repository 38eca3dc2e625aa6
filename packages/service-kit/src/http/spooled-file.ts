import { createHash } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request } from 'express';
import { v4 as uuidv4 } from 'uuid';
import { badRequest, tooLarge, unsupportedMediaType } from '../errors.ts';

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
    return { size, sha256, chunks: () => read(file, size), close: () => file.close() };
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

/** Opens a file and takes its name away at once: whatever becomes of this process, the system frees the space. */
async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `upload-${uuidv4()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

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

const pieceBytes = 256 * 1024;

async function* read(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += pieceBytes) {
    const piece = Buffer.alloc(Math.min(pieceBytes, size - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead !== piece.length) throw new Error('a file that was taken in is not whole any more');
    yield piece;
  }
}
