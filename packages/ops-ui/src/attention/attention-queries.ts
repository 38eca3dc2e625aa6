import { api, dataOf } from '../api/client.ts';
import { inPages } from '../api/pages.ts';
import type { WaitingChannel, WaitingView } from './waiting-search.ts';

const pageSize = 50;
/** Who was put off shows again when their time has come, of which no event tells. */
const againMs = 60_000;

/** The longest waiting first. */
export function waitingQuery(view: WaitingView, channel: WaitingChannel | undefined) {
  const asked = {
    limit: pageSize,
    state: view === 'snoozed' ? ('snoozed' as const) : ('waiting' as const),
    ...(view === 'mine' && { agent: 'me' }),
    ...(view === 'nobody' && { agent: 'nobody' }),
    ...(channel && { channel }),
  };
  return {
    ...inPages(['attention', view, channel ?? null], ({ cursor, signal }) =>
      dataOf(api.GET('/ops/attention', { params: { query: { ...asked, ...cursor } }, signal })),
    ),
    refetchInterval: againMs,
  };
}
