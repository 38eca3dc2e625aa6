import { type EventData, renewalsIn } from '@ops/contracts/events';
import {
  type Communication,
  type CommunicationCounts,
  type CommunicationListQuery,
  type CommunicationType,
  type CreateCommunication,
  communicationFilter,
  isInternal,
} from '@ops/contracts/resources/communication';
import { type Actor, seesInternal } from '@ops/contracts/roles';
import { optOutOf } from '../filing/opt-out.rules.ts';
import type { NewRecord } from '../records/record.rules.ts';

/** What a new record takes from the record it answers. */
export type Answered = Pick<NewRecord, 'in_reply_to' | 'subject' | 'renewal_ids'>;

const firstStatus = { INBOUND: 'RECEIVED', OUTBOUND: 'QUEUED', INTERNAL: 'LOGGED' } as const;

/** Who may not read notes and calls does not write them either. */
export const mayWrite = (actor: Actor, type: CommunicationType): boolean => seesInternal(actor) || !isInternal(type);

/** A record that somebody asks for. */
export interface Wanted {
  /** As it was named. */
  customerId: string;
  input: CreateCommunication;
  actor: Actor;
}

/** Of sixteen as many as webhooks that share a commit may have. */
const mostShared = 16_384;

/** Whether it may be written with others: it is short, of no program, which is counted, and changes no more than a log. */
export const mayShare = ({
  input: { attachments = [], mentions = [], subject = null, type, body },
  actor,
}: Wanted): boolean =>
  body.length <= mostShared &&
  actor.role !== 'automation' &&
  attachments.length === 0 &&
  mentions.length === 0 &&
  optOutOf({ type, subject, body }) === null;

/** Of each another customer, since what one says at a moment decides how the next of theirs is heard. */
export const mayJoin = (all: readonly Wanted[], { customerId }: Wanted): boolean =>
  all.every((other) => other.customerId !== customerId);

/** An inbound record is the customer's own words: it has no author of ours, whoever entered it. */
export function newRecord(
  id: string,
  askedFor: string,
  input: CreateCommunication,
  answered: Answered,
  actor: Actor,
  now: Date,
): NewRecord {
  const inbound = input.direction === 'INBOUND';
  return {
    id,
    customer_id: askedFor,
    type: input.type,
    direction: input.direction,
    body: input.body,
    mentions: input.mentions ?? [],
    ...answered,
    unread: inbound,
    status: firstStatus[input.direction],
    attempt: input.direction === 'OUTBOUND' ? 1 : null,
    automated: input.direction === 'OUTBOUND' && actor.role === 'automation',
    template: input.template ?? null,
    author: inbound ? null : actor.sub,
    created_by: actor.sub,
    send_after: input.send_after ? laterThan(now, input.send_after) : null,
    send_after_reason: null,
    occurred_at: input.occurred_at ? new Date(input.occurred_at) : now,
    received_at: inbound ? now : null,
    created_at: now,
  };
}

/** What is over already is no time to wait for. */
export const laterThan = (now: Date, at: string): string | null => (Date.parse(at) > now.getTime() ? at : null);

const longestWaitMs = 366 * 86_400_000;

export const isTooFar = (now: Date, at: string): boolean => Date.parse(at) > now.getTime() + longestWaitMs;

/** A message nobody of us typed: what was planned for a customer falls due. */
export const plannedRecord = (send: EventData<'communication.send'>, now: Date): NewRecord => ({
  id: send.send_id,
  customer_id: send.customer_id,
  type: send.type,
  direction: 'OUTBOUND',
  subject: send.subject,
  body: send.body,
  mentions: [],
  in_reply_to: null,
  renewal_ids: renewalsIn(send),
  unread: false,
  status: firstStatus.OUTBOUND,
  attempt: 1,
  automated: true,
  template: null,
  author: null,
  created_by: 'notifier',
  send_after: send.send_after,
  send_after_reason: send.send_after_reason,
  occurred_at: now,
  received_at: null,
  created_at: now,
});

export type MoveDecision = 'same' | 'sent' | 'move';

/** What was sent to one customer's address cannot have been said to another. */
export function decideMove(record: Communication, target: string): MoveDecision {
  if (record.customer_id === target) return 'same';
  return record.direction === 'OUTBOUND' ? 'sent' : 'move';
}

/** Only what one of us wrote down wrongly is struck; what was said or sent stays as it was. */
export const mayStrike = (record: Communication): boolean => isInternal(record.type);

/** The type a tab shows; null for all of them. */
export const typeOfFilter = (filter: CommunicationListQuery['filter']): CommunicationType | null =>
  (({ all: null, messaging_app: 'MESSAGING_APP', email: 'EMAIL', notes: 'INTERNAL_NOTE' }) as const)[filter];

export const countsOfFilters = (ofTypes: ReadonlyMap<string | null, number>): CommunicationCounts =>
  Object.fromEntries(
    communicationFilter.options.map((filter) => {
      const type = typeOfFilter(filter);
      return [filter, type === null ? sum([...ofTypes.values()]) : (ofTypes.get(type) ?? 0)];
    }),
  ) as CommunicationCounts;

const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);

/** A customer reads what was said, not who of us wrote it nor what went wrong on the way. */
export const shownTo = (actor: Actor, record: Communication): Communication =>
  actor.role !== 'customer'
    ? record
    : {
        ...record,
        author: null,
        sender: null,
        failure: null,
        filed_at: null,
        settled: null,
        attachments: record.attachments.map((a) => ({ ...a, failure: null })),
      };
