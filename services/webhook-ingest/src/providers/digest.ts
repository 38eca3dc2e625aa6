import { createHash } from 'node:crypto';

/** Stands for what has no id of its own: the same pieces give the same digest, however they are cut. */
export function digestOf(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(`${piece.length}:`).update(piece);
  return `sha256:${hash.digest('hex')}`;
}
