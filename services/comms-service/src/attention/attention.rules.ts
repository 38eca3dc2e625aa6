import type { Attention, PatchAttention } from '@ops/contracts/resources/attention';

/** Whether a customer waits for an answer, as it is kept. */
export interface KeptAttention {
  waiting_since: string | null;
  snoozed_until: string | null;
}

/** What was put off shows again when its time has come, without anything being done. */
export function attentionAt(customer_id: string, kept: KeptAttention | undefined, now: Date): Attention {
  const waiting_since = kept?.waiting_since ?? null;
  const until = kept?.snoozed_until ?? null;
  const isSnoozed = waiting_since !== null && until !== null && new Date(until) > now;
  const state = waiting_since === null ? 'done' : isSnoozed ? 'snoozed' : 'waiting';
  return { customer_id, state, waiting_since, snoozed_until: isSnoozed ? until : null };
}

const longestSnoozeMs = 366 * 24 * 60 * 60 * 1000;

type Snooze = Extract<PatchAttention, { state: 'snoozed' }>;

/** What keeps a customer from being put off until then; undefined: nothing does. */
export function reasonAgainstSnooze({ until }: Snooze, now: Date): string | undefined {
  const ahead = Date.parse(until) - now.getTime();
  if (ahead <= 0) return 'is over';
  return ahead > longestSnoozeMs ? 'is more than a year away' : undefined;
}
