import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v4 as uuidv4 } from 'uuid';

/** Opens a file and takes its name away at once: whatever becomes of this process, the system frees the space. */
export async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `ops-${uuidv4()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

const pieceBytes = 256 * 1024;

export async function* piecesOf(file: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += pieceBytes) {
    const piece = Buffer.alloc(Math.min(pieceBytes, size - at));
    const { bytesRead } = await file.read(piece, 0, piece.length, at);
    if (bytesRead !== piece.length) throw new Error('a file on disk is not whole any more');
    yield piece;
  }
}
