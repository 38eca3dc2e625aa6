import { eventKey } from '@ops/bus/inbox';
import type { PlainDate } from '@ops/contracts/dates';
import type { Envelope } from '@ops/contracts/envelope';
import { events } from '@ops/contracts/events';
import type { FieldError } from '@ops/contracts/problem';
import { fieldErrors } from '@ops/service-kit/errors';
import { z } from 'zod';

/** What an upstream system says of when a policy or permit ends. */
export interface Expiry {
  kind: 'policy' | 'residence_permit' | 'work_permit';
  source_id: string;
  customer_id: string;
  service_type: string;
  due_date: PlainDate;
  policy_id: string | null;
  assigned_agent: string | null;
  told_at: string;
  told_id: string;
}

type Said = Omit<Expiry, 'told_at' | 'told_id'>;

const policy = z.object({ data: events['policy.issued'].data }).transform(
  ({ data }): Said => ({
    kind: 'policy',
    source_id: data.policy_id,
    policy_id: data.policy_id,
    due_date: data.end_date,
    customer_id: data.customer_id,
    service_type: data.service_type,
    assigned_agent: data.assigned_agent ?? null,
  }),
);

const permit = (kind: Expiry['kind'], service_type: string) =>
  z.object({ data: events['work_permit.issued'].data }).transform(
    ({ data }): Said => ({
      kind,
      service_type,
      source_id: data.permit_id,
      policy_id: null,
      due_date: data.expiry_date,
      customer_id: data.customer_id,
      assigned_agent: data.assigned_agent ?? null,
    }),
  );

/** By the schema of its type; a field added later disturbs nobody. */
const readers: Partial<Record<string, z.ZodType<Said>>> = {
  'policy.issued': policy,
  'residence_permit.approved': permit('residence_permit', 'RESIDENCE_PERMIT'),
  'work_permit.issued': permit('work_permit', 'WORK_PERMIT'),
};

const upstreamTypes = Object.keys(readers);

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

/** What it says, or what is wrong with each field of it. */
export function expiryOf(event: Envelope, receivedAt: Date): Expiry | { problems: FieldError[] } {
  const { type, data, time } = event;
  const reading = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!reading) return { problems: [{ path: 'type', message: `must be one of ${upstreamTypes.join(', ')}` }] };
  const said = reading.safeParse({ data }, { error: nameMissing });
  if (!said.success) return { problems: fieldErrors(said.error) };
  const told_at = inUtc(time);
  if (!/^(?!0000)\d{4}-/.test(told_at))
    return { problems: [{ path: 'time', message: 'must be of the years 1 to 9999' }] };
  return { ...said.data, told_at: notAhead(told_at, receivedAt), told_id: eventKey(event) };
}

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

const nameMissing: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : undefined;

/**
 * Upstream's choice of agent, where it changed; undefined: whoever is there stays. An agent it no longer names goes only
 * if staff have named no other.
 */
export function agentBy(said: string | null, before: string | null, current: string | null): string | null | undefined {
  if (said === before) return undefined;
  return said === null && current !== before ? undefined : said;
}
