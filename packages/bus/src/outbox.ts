import type { Envelope } from '@ops/contracts/envelope';
import { type EventData, type EventOf, type EventType, events } from '@ops/contracts/events';
import type { ServiceName } from '@ops/contracts/routes';
import type { Knex } from 'knex';
import { v7 as uuid } from 'uuid';
import { z } from 'zod';
import { EventTooLargeError } from './errors.ts';
import { execute } from './sql.ts';
import { currentTrace, type Trace, traceOf } from './trace.ts';

/** Far below any broker's limit, so no committed event is ever refused by one. */
const maxEventBytes = 1024 * 1024;

export interface NewEvent<T extends EventType = EventType> {
  type: T;
  data: EventData<T>;
  /** When it happened; now, if left out. */
  occurredAt?: Date | undefined;
  /** The event this one follows from, where several were handled together; else the current trace is carried on. */
  cause?: Envelope | undefined;
  /** The trace it begins or belongs to, where that is neither the current one nor its cause's. */
  trace?: Trace | undefined;
}

/**
 * The only way to publish: the event is a row of the transaction that makes it true, so it exists exactly when the
 * change does. Data are validated strictly, unknown fields included; what a producer gets wrong fails its own request.
 */
export interface Outbox {
  add<T extends EventType>(trx: Knex.Transaction, event: NewEvent<T>): Promise<EventOf<T>>;
  /** In the order given. */
  addMany<T extends EventType>(trx: Knex.Transaction, events: readonly NewEvent<T>[]): Promise<EventOf<T>[]>;
  /** Publishes what a system outside told, as it came: its id, source, time and data are that system's own. */
  passOn(trx: Knex.Transaction, event: Envelope): Promise<void>;
  /** Publishes a dead letter once more, as it came, to its queue alone. */
  replay(trx: Knex.Transaction, letter: ReplayedLetter): Promise<void>;
}

export interface ReplayedLetter {
  queue: string;
  event_id: string;
  event_type: string;
  /** JSON, of an event or of whatever else came. */
  body: string;
}

export function createOutbox(service: ServiceName): Outbox {
  return {
    async addMany(trx, list) {
      const envelopes = list.map((event) => toEnvelope(service, event));
      if (envelopes.length > 0) await insert(trx, envelopes.map(toRow), null);
      return envelopes;
    },
    async add(trx, event) {
      const envelope = toEnvelope(service, event);
      await insert(trx, [toRow(envelope)], null);
      return envelope;
    },
    async passOn(trx, event) {
      if (!isFromOutside(event.type)) throw new Error(`${event.type} is nothing that systems outside tell`);
      await insert(trx, [toRow({ ...attributesOf(currentTrace.getStore()), ...event })], null);
    },
    replay: (trx, { queue, event_id, event_type, body }) =>
      insert(trx, [{ id: event_id, type: event_type, body }], queue),
  };
}

function toEnvelope<T extends EventType>(service: ServiceName, event: NewEvent<T>): EventOf<T> {
  const spec = events[event.type];
  if (spec.publisher !== service) throw new Error(`${event.type} is published by ${spec.publisher}, not by ${service}`);
  const data = strictly[event.type].parse(event.data) as Record<string, unknown>;
  const id = uuid();
  const trace = event.trace ?? (event.cause === undefined ? currentTrace.getStore() : traceOf(event.cause));
  return {
    specversion: '1.0',
    id,
    source: service,
    type: event.type,
    subject: String(data[spec.subject] || id).slice(0, longestSubject),
    time: (event.occurredAt ?? new Date()).toISOString(),
    datacontenttype: 'application/json',
    ...attributesOf(trace),
    data: data as EventData<T>,
  };
}

const attributesOf = (trace: Trace | undefined) =>
  trace && { traceparent: trace.traceparent, requestid: trace.requestId };

const isFromOutside = (type: string): boolean =>
  Object.hasOwn(events, type) && events[type as EventType].publisher === 'upstream';

const longestSubject = 200;

const strict = (schema: z.ZodType): z.ZodType => (schema instanceof z.ZodObject ? schema.strict() : schema);

/** Made once: zod compiles a schema at its first use, which takes longer than all other work on an event. */
const strictly = Object.fromEntries(Object.entries(events).map(([type, { data }]) => [type, strict(data)])) as Record<
  EventType,
  z.ZodType
>;

interface OutboxRow {
  id: string;
  type: string;
  body: string;
}

function toRow(event: Envelope): OutboxRow {
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) > maxEventBytes)
    throw new EventTooLargeError(`${event.type} is over ${maxEventBytes} bytes`);
  return { id: event.id, type: event.type, body };
}

/** One statement however many events; ids, and so the order of publishing, follow the order given. */
async function insert(trx: Knex.Transaction, rows: readonly OutboxRow[], queue: string | null): Promise<void> {
  await execute(
    trx,
    `INSERT INTO outbox (event_id, type, queue, event)
     SELECT event_id, type, ?, event::json
       FROM unnest(?::text[], ?::text[], ?::text[]) WITH ORDINALITY AS added (event_id, type, event, n)
      ORDER BY n`,
    [queue, rows.map((row) => row.id), rows.map((row) => row.type), rows.map((row) => row.body)],
  );
}
