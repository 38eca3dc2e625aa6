import { expect } from '@jest/globals';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { JournalEntry, RequestEntry } from '@ops/provider-sim/test/simulator';

/** A record as the log shows it, with all that was done with it and became of it. */
export interface Told {
  record: Communication;
  history: HistoryEntry[];
}

/** What is known outside of the firm's own records. */
export interface Evidence {
  journal: readonly JournalEntry[];
  requests: readonly RequestEntry[];
  /** The attempts that were being sent when notifier was killed. */
  inFlight: ReadonlySet<string>;
}

interface Heard {
  attempt: number;
  attempt_id: string;
  status: Communication['status'];
  failure: { code: string; message: string } | null;
}

const heardOf = ({ history }: Told): Heard[] =>
  history.filter(({ change }) => change === 'delivery').map(({ details }) => details as unknown as Heard);

/** Nobody has anything twice: what a provider took, it took once for each attempt. */
export function nothingTwice({ journal }: Evidence): void {
  const known = new Set<string | null>();
  expect(journal.filter(({ attempt_id }) => known.size === known.add(attempt_id).size)).toEqual([]);
}

/** Each attempt carried its own record's words, and there were as many as the record says. */
export function nothingElse(told: readonly Told[], { journal }: Evidence): void {
  const ours = new Map(told.flatMap((one) => heardOf(one).map(({ attempt_id }) => [attempt_id, one.record.body])));
  for (const { attempt_id, text } of journal) expect(text).toBe(ours.get(String(attempt_id)));
  const copies = Map.groupBy(journal, ({ text }) => text);
  for (const { record } of told)
    expect(copies.get(record.body)?.length ?? 0).toBeLessThanOrEqual(Number(record.attempt));
}

/** What the log says of the latest attempt is what is true outside, and every receipt is in its history once. */
export function isTrue(told: Told, evidence: Evidence): void {
  const { record } = told;
  const heard = heardOf(told).filter(({ attempt }) => attempt === record.attempt);
  const id = heard[0]?.attempt_id;
  expect(new Set(heard.map(({ attempt_id }) => attempt_id)).size).toBe(1);
  const requests = evidence.requests.filter(({ attempt_id }) => attempt_id === id);
  const taken = evidence.journal.find(({ attempt_id }) => attempt_id === id);

  const last = requests.at(-1);
  expect(requests.slice(0, -1).filter((one) => !isProvenRefusal(one))).toEqual([]);
  expect(taken !== undefined).toBe(last?.fate === 'taken' || last?.fate === 'cut');

  const found = ownFinding(last, heard, evidence.inFlight);
  const statuses = [...new Set([found, ...receiptsOf(taken)])];
  expect(heard.map(({ status }) => status).toSorted()).toEqual(statuses.toSorted());
  expect(record.status).toBe(strength.findLast((status) => statuses.includes(status)));
  if (record.status === 'FAILED' || record.status === 'UNCERTAIN') expect(record.failure).not.toBeNull();
}

/** Of one attempt, the later ones saying more. */
const strength: readonly Communication['status'][] = ['UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ'];

/** Asked to come again: after 429, and after any 4xx of a mail server, nothing was taken. */
const isProvenRefusal = ({ channel, fate }: RequestEntry) =>
  fate === 'throttle' || (channel === 'EMAIL' && fate === 'fail');

/** What sending it told us, before any receipt. */
function ownFinding(last: RequestEntry | undefined, heard: readonly Heard[], inFlight: ReadonlySet<string>) {
  if (last && !isProvenRefusal(last) && last.fate !== 'taken') return 'UNCERTAIN';
  if (heard.some((one) => isInterrupted(one, inFlight) || isLate(one))) return 'UNCERTAIN';
  return last?.fate === 'taken' ? 'SENT' : 'FAILED';
}

const isInterrupted = ({ failure, attempt_id }: Heard, inFlight: ReadonlySet<string>) =>
  failure?.code === 'interrupted' && inFlight.has(attempt_id);

/** The provider did answer, but on a busy machine only after we had stopped listening. */
const isLate = ({ status, failure }: Heard) =>
  status === 'UNCERTAIN' && /no answer in time/.test(failure?.message ?? '');

/** What its provider tells the firm of a message: no SMS tells that it was read, and a mail server only what failed. */
function receiptsOf(taken: JournalEntry | undefined): Communication['status'][] {
  const untold = { MESSAGING_APP: [] as string[], SMS: ['read'], EMAIL: ['sent', 'delivered', 'read'] };
  const told = taken?.receipts.filter((receipt) => !untold[taken.channel].includes(receipt)) ?? [];
  return told.map((receipt) => receipt.toUpperCase() as Communication['status']);
}

/** What a run by hand is told. */
export function figures(told: readonly Told[], { journal, requests, inFlight }: Evidence): string {
  const count = (list: readonly string[]) =>
    Object.entries(Object.groupBy(list, (one) => one)).map(([one, all = []]) => `${one} ${all.length}`);
  const copies = journal.length - new Set(journal.map(({ attempt_id }) => attempt_id)).size;
  return [
    count(told.map(({ record }) => record.status)).join(', '),
    `journal ${journal.length}, twice ${copies}`,
    `requests: ${count(requests.map(({ fate }) => fate)).join(', ')}`,
    `in flight when notifier was killed ${inFlight.size}`,
  ].join('; ');
}
