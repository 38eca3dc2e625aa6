import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Takes the same time wherever they differ, and for any lengths: both sides are hashed first. */
export function sameBytes(a: Buffer, b: Buffer): boolean {
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(a), digest(b));
}

export const hmac = (algorithm: 'sha1' | 'sha256', secret: string, signed: Buffer | string): Buffer =>
  createHmac(algorithm, secret).update(signed).digest();
