import { eventKey } from '@ops/bus/inbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import type { EventData, EventOf, HeardBy } from '@ops/contracts/events';
import type { FieldError } from '@ops/contracts/problem';
import type { topology } from '../topology.ts';

/** A policy or permit that an upstream system tells of, and when it did. */
export interface Told {
  kind: 'policy' | 'residence_permit' | 'work_permit';
  source_id: string;
  told_at: string;
  told_id: string;
}

/** It is over before its time. */
export interface Ending extends Told {
  ended: true;
}

/** When it ends. */
export interface Expiry extends Told {
  ended?: never;
  /** Whom the id that was told leads to. */
  customer_id: string;
  written_under: string;
  service_type: string;
  due_date: PlainDate;
  policy_id: string | null;
  assigned_agent: string | null;
  /** The agent as upstream named it, known here or not. */
  named: string | null;
  /** What whoever looks at the renewal has to know. */
  note: string | null;
}

type Unsaid = 'told_at' | 'told_id';
type Said = Omit<Expiry, Unsaid> | Omit<Ending, Unsaid>;

/** What is heard of upstream systems. */
export type UpstreamTold = EventOf<HeardBy<typeof topology.queues.upstream.name>>;

/**
 * CloudEvents need neither time nor subject, and null is none: without a time an event is of the time it came, without a
 * subject it is about its policy or permit.
 */
export function completed(event: object, receivedAt: Date): object {
  const told: Partial<Envelope> = Object.fromEntries(Object.entries(event).filter(([, value]) => value !== null));
  return { time: receivedAt.toISOString(), subject: subjectOf(told), ...told };
}

function subjectOf({ id, data }: Partial<Envelope>): string | undefined {
  const about = data?.policy_id ?? data?.permit_id;
  return typeof about === 'string' && about !== '' ? about.slice(0, 200) : id;
}

/** What it says, or what is wrong with it. */
export function toldBy(event: UpstreamTold, receivedAt: Date): Expiry | Ending | { problems: FieldError[] } {
  const told_at = inUtc(event.time);
  if (!/^(?!0000)\d{4}-/.test(told_at))
    return { problems: [{ path: 'time', message: 'must be of the years 1 to 9999' }] };
  return { ...saidBy(event), told_at: notAhead(told_at, receivedAt), told_id: eventKey(event) };
}

function saidBy({ type, data }: UpstreamTold): Said {
  switch (type) {
    case 'policy.issued': {
      const { policy_id, service_type, end_date: due_date } = data;
      return { ...about(data), kind: 'policy', source_id: policy_id, policy_id, service_type, due_date };
    }
    case 'residence_permit.approved':
      return { ...about(data), kind: 'residence_permit', service_type: 'RESIDENCE_PERMIT', ...permit(data) };
    case 'work_permit.issued':
      return { ...about(data), kind: 'work_permit', service_type: 'WORK_PERMIT', ...permit(data) };
    case 'policy.cancelled':
      return { kind: 'policy', source_id: data.policy_id, ended: true };
    case 'residence_permit.withdrawn':
      return { kind: 'residence_permit', source_id: data.permit_id, ended: true };
    case 'work_permit.ended':
      return { kind: 'work_permit', source_id: data.permit_id, ended: true };
  }
}

const about = ({
  customer_id,
  assigned_agent = null,
}: Pick<EventData<'policy.issued'>, 'customer_id' | 'assigned_agent'>) => ({
  customer_id,
  written_under: customer_id,
  assigned_agent,
  named: assigned_agent,
  note: null,
});

const permit = ({ permit_id: source_id, expiry_date: due_date }: EventData<'work_permit.issued'>) => ({
  source_id,
  due_date,
  policy_id: null,
});

const mostAheadMs = 5 * 60_000;

/** A clock that is far ahead would hold back all that is told until then. */
function notAhead(toldAt: string, receivedAt: Date): string {
  const latest = receivedAt.getTime() + mostAheadMs;
  return Date.parse(toldAt) > latest ? new Date(latest).toISOString() : toldAt;
}

/** To the microsecond, which a Date does not hold; in UTC, since Postgres takes fewer time zones than RFC 3339 does. */
function inUtc(time: string): string {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  return `${new Date(time).toISOString().slice(0, -1)}${fraction.padEnd(6, '0').slice(3, 6)}Z`;
}

/**
 * Upstream's choice of agent, where it changed; undefined: whoever is there stays. An agent it no longer names goes only
 * if staff have named no other.
 */
export function agentBy(said: string | null, before: string | null, current: string | null): string | null | undefined {
  if (said === before) return undefined;
  return said === null && current !== before ? undefined : said;
}

/** Of an agent nobody knows the date is taken all the same, and the renewal says whom upstream meant. */
export const leftUnassigned = (expiry: Expiry): Expiry => ({
  ...expiry,
  assigned_agent: null,
  note: `Upstream names an agent nobody here knows: ${expiry.named}`,
});

/** If upstream said so of the renewal when agents were not known yet, whoever is there stays. */
export const asSaidBefore = (expiry: Expiry, before: string | null): Expiry =>
  expiry.named === before ? { ...expiry, assigned_agent: before, note: null } : expiry;

/** Undefined: nothing is to be noted, or it stands there. */
export function notedIn(notes: string | null, note: string | null): string | undefined {
  if (note === null || notes?.includes(note)) return undefined;
  return notes ? `${notes}\n${note}` : note;
}
