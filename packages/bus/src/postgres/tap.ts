import { randomUUID } from 'node:crypto';
import type { Envelope } from '@ops/contracts/envelope';
import pg from 'pg';
import { readContent } from '../hand-over.ts';
import type { Kept } from '../keep-open.ts';
import type { BusLogger } from '../logger.ts';
import type { TapListener } from '../port.ts';
import { createEar } from '../tap-ear.ts';
import { keepClient } from './client.ts';

/** A notification holds less than 8,000 bytes. */
const maxNote = 7_500;

/**
 * An event as notifications: as it is, or in numbered pieces, which arrive together and in order. Each piece names its
 * event: of several alike in one transaction Postgres would deliver only one.
 */
export function toNotes(event: Envelope): string[] {
  const bytes = Buffer.from(JSON.stringify(event));
  if (bytes.length <= maxNote) return [bytes.toString('utf8')];
  const text = bytes.toString('base64');
  const size = maxNote - 100;
  const count = Math.ceil(text.length / size);
  const id = randomUUID();
  return Array.from({ length: count }, (_, n) => `${id}/${n + 1}/${count}/${text.slice(n * size, (n + 1) * size)}`);
}

/** Puts notes together again; answers an event once its last piece is there. */
export function createNoteReader(): (note: string) => unknown {
  let pieces: string[] = [];
  return (note) => {
    const piece = /^[0-9a-f-]{36}\/(\d+)\/(\d+)\/(.*)$/.exec(note);
    if (piece === null) return readContent(Buffer.from(note));
    const [, n, count, text = ''] = piece;
    if (n === '1') pieces = [];
    pieces.push(text);
    return n === count ? readContent(Buffer.from(pieces.join(''), 'base64')) : undefined;
  };
}

export interface TapOptions {
  config: pg.ClientConfig;
  channel: string;
  types: readonly string[];
  listener: TapListener;
  logger: BusLogger;
}

/** LISTEN asks for no rights, and so the tap for none but to connect. */
export function openTap({ config, channel, types, listener, logger }: TapOptions): Kept<pg.Client> {
  const ear = createEar(listener, types, logger);
  return keepClient({
    name: 'tap',
    config,
    logger,
    async prepare(client, again) {
      const read = createNoteReader();
      client.on('notification', ({ payload = '' }) => ear.hear(read(payload)));
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (again) ear.reset();
    },
  });
}
