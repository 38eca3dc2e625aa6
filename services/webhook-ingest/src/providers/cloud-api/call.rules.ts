import type { Item } from '../provider.ts';
import { type Fields, text } from '../untrusted.rules.ts';
import type { Change } from './change.rules.ts';
import { readMessage } from './message.rules.ts';

/** `calls[]`: somebody called and the call is over. What happens in between, and calls of ours, are none of the log's. */
export function readCall(call: Fields, change: Change): Item[] {
  if (call.event !== 'terminate' || call.direction !== 'USER_INITIATED') return [];
  return [readMessage({ ...call, type: 'text', text: { body: `Called on the messaging app${endOf(call)}` } }, change)];
}

function endOf({ status, duration }: Fields): string {
  if (status !== 'COMPLETED') return '; nobody took the call';
  return text(duration) === undefined ? '' : `, ${text(duration)} seconds`;
}
