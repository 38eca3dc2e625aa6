import type { events } from '@ops/contracts/events';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { keepConnected } from './connection.ts';
import { fetchAgain, fetchAllAgain } from './fetch-again.ts';

interface LiveEvent {
  type: string;
  data: { customer_id?: string | null; renewal_id?: string | null; renewal_ids?: string[]; communication_id?: string };
}

type KeysOf = (data: LiveEvent['data'], queries: QueryClient) => QueryKey[];

type Catalogue = typeof events;
type LiveType = { [T in keyof Catalogue]: Catalogue[T]['live'] extends true ? T : never }[keyof Catalogue];

/** What a change of this kind may alter on a screen. */
const concerned: Record<LiveType, KeysOf> = {
  COMMUNICATION_RECEIVED: messages,
  'communication.changed': messages,
  'customer.changed': ({ customer_id }) => [
    ['customer', customer_id],
    ['opt-outs', customer_id],
    ['customers'],
    ['duplicates'],
    ['attention'],
    ['unmatched'],
    ['renewals', 'queue'],
    ['renewal'],
  ],
  // It is seldom done, and whatever names a customer may be about them.
  'customer.merged': () => [[]],
  'customer.erased': () => [[]],
  'attention.changed': ({ customer_id }) => [['attention'], ['customer', customer_id]],
  RENEWAL_TRIGGERED: renewals,
  RENEWAL_COMPLETED: renewals,
  'renewal.changed': renewals,
  'alert.planned': ({ renewal_id }) => [['renewal', renewal_id]],
  'task.changed': (data) => [['tasks'], ...ofRenewals(data)],
  'calendar.changed': () => [['calendar'], ['renewal'], ['refresh', 'dry-run']],
  'alert_plan.changed': () => [['renewal'], ['refresh', 'dry-run']],
  'agent.changed': () => [['agents'], ['attention'], ['tasks'], ['renewals'], ['renewal'], ['customer-renewals']],
};

/** What a service shows of this that hears of it when the page does, and may take it in after the page has asked. */
const takenIn: Partial<Record<LiveType, KeysOf>> = {
  'communication.changed': ofRenewals,
  'alert.planned': ofRenewals,
  'task.changed': ofRenewals,
  'customer.changed': () => [['renewals', 'queue'], ['renewal']],
  'customer.merged': () => [['tasks']],
  'alert_plan.changed': () => [['renewal'], ['refresh', 'dry-run']],
  RENEWAL_TRIGGERED: ({ customer_id }) => [['timeline', customer_id]],
  RENEWAL_COMPLETED: ({ customer_id }) => [['timeline', customer_id]],
  'agent.changed': () => [['attention'], ['renewals'], ['renewal'], ['customer-renewals']],
};

function messages(data: LiveEvent['data']): QueryKey[] {
  const { customer_id } = data;
  const lists: QueryKey[] = [['customers'], ['attention'], ['failed'], ['unmatched']];
  if (customer_id) lists.push(['customer', customer_id], ['communications', customer_id], ['timeline', customer_id]);
  return [...lists, ...ofRenewals(data)];
}

/** The first of several is the one. */
function ofRenewals({ renewal_id, renewal_ids = [] }: LiveEvent['data']): QueryKey[] {
  if (!renewal_id) return [];
  return [['renewals', 'queue'], ...[renewal_id, ...renewal_ids.slice(1)].map((id): QueryKey => ['renewal', id])];
}

function renewals({ customer_id, renewal_id }: LiveEvent['data'], queries: QueryClient): QueryKey[] {
  const ofCustomers = [customer_id, ...whoHad(queries, renewal_id)].flatMap((id): QueryKey[] => [
    ['customer-renewals', id],
    ['flags', id],
    ['timeline', id],
  ]);
  return [['renewals'], ['renewal', renewal_id], ['refresh'], ...ofCustomers];
}

/** In whose list it stands: of one who was taken for another customer, it went to whom it belongs. */
const whoHad = (queries: QueryClient, renewalId: string | null | undefined) =>
  queries
    .getQueriesData<{ pages: { data: { id: string }[] }[] }>({ queryKey: ['customer-renewals'] })
    .filter(([, list]) => list?.pages.some(({ data }) => data.some(({ id }) => id === renewalId)))
    .map(([[, customerId]]) => customerId);

/** A night's alerts come by the thousand: what they concern is fetched again once for all of a moment, and once a second. */
const gatherMs = 200;
const leastApartMs = 1_000;
/** How long after such a change, in turn: as a rule it was taken in long before; after a failure it is tried again. */
const takenInMs = [3_000, 30_000];
/** An answer that does not come holds up what is asked after it no longer than this. */
const patienceMs = 10_000;

/**
 * Keeps every query current until it is stopped. A fresh connection begins with `reset`, upon which everything shown is
 * fetched again: what happened in between is caught up with.
 */
export function followChanges(queries: QueryClient, url = '/ops/stream'): () => void {
  const rounds = inRounds(queries);
  let wasConnected = false;
  const disconnect = keepConnected(url, (source) => {
    source.addEventListener('reset', () => {
      void fetchAllAgain(queries);
      // Who did not hear of a change cannot tell what is still to be taken in of it.
      if (wasConnected) rounds.askOnceMore([everything]);
      wasConnected = true;
    });
    for (const [type, keysOf] of Object.entries(concerned) as [LiveType, KeysOf][])
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        const said = (JSON.parse(data) as LiveEvent).data;
        const ids = Object.values(said).filter((one) => typeof one === 'string');
        rounds.ask(keysOf(said, queries), ids);
        rounds.askOnceMore(takenIn[type]?.(said, queries) ?? [], ids);
      });
  });
  return () => {
    rounds.stop();
    disconnect();
  };
}

const everything: QueryKey = [];

/** Fetches again what is asked for, all of a moment together. */
function inRounds(queries: QueryClient) {
  const waiting = new Map<string, QueryKey>();
  const changed = new Set<string>();
  const later = new Set<ReturnType<typeof setTimeout>>();
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let isFetching = false;
  let lastAt = 0;

  const gather = () => {
    if (!isFetching) gathering ??= setTimeout(fetchAll, Math.max(gatherMs, lastAt + leastApartMs - Date.now()));
  };
  // One round after the other: one that broke off the one before would show nothing for as long as changes come.
  const fetchAll = async () => {
    gathering = undefined;
    isFetching = true;
    lastAt = Date.now();
    const [keys, ids] = [[...waiting.values()], new Set(changed)];
    waiting.clear();
    changed.clear();
    const answers = Promise.all(keys.map((queryKey) => fetchAgain(queries, queryKey, ids)));
    await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, patienceMs))]);
    isFetching = false;
    if (waiting.size > 0) gather();
  };
  /** `about`: the ids of what changed. */
  const ask = (keys: readonly QueryKey[], about: readonly string[] = []) => {
    for (const key of keys) waiting.set(JSON.stringify(key), key);
    for (const id of about) changed.add(id);
    gather();
  };
  /** Of what nothing is shown then, nothing is fetched: somebody may come to it meanwhile, and be told what was before. */
  const askOnceMore = (keys: readonly QueryKey[], about: readonly string[] = []) => {
    if (keys.length === 0) return;
    for (const ms of takenInMs) {
      const timer = setTimeout(() => {
        later.delete(timer);
        ask(keys, about);
      }, ms);
      later.add(timer);
    }
  };
  const stop = () => {
    clearTimeout(gathering);
    later.forEach(clearTimeout);
  };
  return { ask, askOnceMore, stop };
}
