import type { Readable } from 'node:stream';
import { badRequest, tooLarge, unavailable } from '@ops/service-kit/errors';
import { type BodyPace, lateAt, type Progress, usualPace } from './body.rules.ts';
import type { Arriving, Claim, Intake } from './intake-service.ts';

/** The least that is counted for a body: what an open request costs besides. */
const firstBytes = 16 * 1024;

interface BodyLimits {
  mostBytes: number;
  /** As its header has it. */
  announced: number | undefined;
  pace?: BodyPace;
}

/** A body as it came, whole, and what is held for it. */
export interface Body {
  bytes: Buffer;
  release(): void;
}

/** Rejects with the problem to answer; then nothing is held for it any more, and what is still coming is nobody's. */
export async function readBody(
  stream: Readable,
  from: Omit<Arriving, 'giveUp'>,
  intake: Intake,
  limits: BodyLimits,
): Promise<Body> {
  const { mostBytes, announced = 0, pace = usualPace } = limits;
  const refusal = () => tooLarge(`The body is over the limit of ${mostBytes} bytes`);
  if (announced > mostBytes) throw refusal();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const claim = intake.begin({ ...from, giveUp: reject });
  const taken = growing(claim, announced || mostBytes);
  const stopWatch = watch(taken.progress, pace, () => reject(unavailable('The body came too slowly')));
  const onData = (chunk: Buffer) =>
    taken.progress.bytes + chunk.length > mostBytes ? reject(refusal()) : taken.add(chunk);
  const cutOff = () => reject(badRequest('The request ended before its body did'));
  stream.on('data', onData).once('end', resolve).once('error', cutOff).once('close', cutOff);
  try {
    await promise;
    claim.whole();
    return { bytes: taken.bytes(), release: claim.release };
  } catch (error) {
    claim.release();
    throw error;
  } finally {
    stopWatch();
    stream.off('data', onData).off('end', resolve).off('error', cutOff).off('close', cutOff);
  }
}

/**
 * Throws away what is still coming of a body that is refused, up to so many bytes and for a moment; answers whether that was all
 * of it. Who still sends when a connection ends may lose the answer.
 */
export async function throwAway(stream: Readable, mostBytes: number, mostMs = 1_000): Promise<boolean> {
  if (stream.readableEnded || stream.destroyed) return stream.readableEnded;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let left = mostBytes;
  const onData = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) resolve(false);
  };
  const onEnd = () => resolve(true);
  const onClose = () => resolve(false);
  const timer = setTimeout(onClose, mostMs);
  stream.on('data', onData).once('end', onEnd).once('error', onClose).once('close', onClose);
  const isAll = await promise;
  clearTimeout(timer);
  stream.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
  return isAll;
}

/**
 * In one piece that doubles: a body may come byte by byte, and as a list of chunks it would take a hundred times its size.
 * It takes room as bytes come, not as they are announced.
 */
function growing(claim: Claim, mostRoom: number) {
  const now = performance.now();
  const progress: Progress = { beganAt: now, heardAt: now, bytes: 0 };
  let room = Buffer.alloc(0);
  let counted = 0;
  const count = (bytes: number) => {
    if (bytes > counted) claim.grow(bytes - counted);
    counted = Math.max(counted, bytes);
  };
  count(firstBytes);
  return {
    progress,
    bytes: () => room.subarray(0, progress.bytes),
    add(chunk: Buffer) {
      claim.heard();
      const needed = progress.bytes + chunk.length;
      if (needed > room.length) {
        const wanted = Math.max(needed, Math.min(mostRoom, Math.max(firstBytes, room.length * 2)));
        count(wanted);
        const larger = Buffer.allocUnsafeSlow(wanted);
        room.copy(larger);
        room = larger;
      }
      chunk.copy(room, progress.bytes);
      progress.bytes = needed;
      progress.heardAt = performance.now();
    },
  };
}

/** Calls `late` once the body is; gives what ends the watching. */
function watch(progress: Progress, pace: BodyPace, late: () => void): () => void {
  let timer: NodeJS.Timeout;
  const look = () => {
    const left = lateAt(progress, pace) - performance.now();
    if (left <= 0) late();
    else timer = setTimeout(look, left);
  };
  look();
  return () => clearTimeout(timer);
}
