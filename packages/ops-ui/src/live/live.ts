import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { keepConnected } from './connection.ts';
import { fetchAgain, fetchAllAgain } from './fetch-again.ts';

interface LiveEvent {
  type: string;
  data: { customer_id?: string | null; renewal_id?: string | null; renewal_ids?: string[]; communication_id?: string };
}

/** What a change of this kind may alter on a screen. */
const concerned: Record<string, (data: LiveEvent['data'], queries: QueryClient) => QueryKey[]> = {
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
  ],
  // It is seldom done, and whatever names a customer may be about them.
  'customer.merged': () => [[]],
  'customer.erased': () => [[]],
  'attention.changed': ({ customer_id }) => [['attention'], ['customer', customer_id]],
  RENEWAL_TRIGGERED: renewals,
  RENEWAL_COMPLETED: renewals,
  'renewal.changed': renewals,
  'alert.planned': ({ renewal_id }) => [['renewal', renewal_id]],
  'task.changed': ({ renewal_id }) => [
    ['tasks'],
    ...(renewal_id ? [['renewal', renewal_id] as QueryKey, ['renewals', 'queue'] as QueryKey] : []),
  ],
  'calendar.changed': () => [['calendar'], ['renewal'], ['refresh', 'dry-run']],
  'agent.changed': () => [['agents'], ['attention'], ['tasks'], ['renewals'], ['renewal'], ['customer-renewals']],
};

function messages({ customer_id, renewal_id, renewal_ids = [] }: LiveEvent['data']): QueryKey[] {
  const lists: QueryKey[] = [['customers'], ['attention'], ['failed'], ['unmatched']];
  if (customer_id) lists.push(['customer', customer_id], ['communications', customer_id], ['timeline', customer_id]);
  if (renewal_id) lists.push(['renewal', renewal_id], ['renewals', 'queue']);
  lists.push(...renewal_ids.slice(1).map((id) => ['renewal', id]));
  return lists;
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
/** An answer that does not come holds up what is asked after it no longer than this. */
const patienceMs = 10_000;

/**
 * Keeps every query current until it is stopped. A fresh connection begins with `reset`, upon which everything shown is
 * fetched again: what happened in between is caught up with.
 */
export function followChanges(queries: QueryClient, url = '/ops/stream'): () => void {
  const waiting = new Map<string, QueryKey>();
  const changed = new Set<string>();
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
  const disconnect = keepConnected(url, (source) => {
    source.addEventListener('reset', () => fetchAllAgain(queries));
    for (const [type, keysOf] of Object.entries(concerned))
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        const said = (JSON.parse(data) as LiveEvent).data;
        for (const key of keysOf(said, queries)) waiting.set(JSON.stringify(key), key);
        for (const id of Object.values(said)) if (typeof id === 'string') changed.add(id);
        gather();
      });
  });
  return () => {
    clearTimeout(gathering);
    disconnect();
  };
}
