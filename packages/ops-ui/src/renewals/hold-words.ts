import type { Hold } from '../api/types.ts';

const reasons: Record<Hold['because'], string> = {
  started: 'somebody is at work on it',
  acknowledged: 'somebody looks after it',
  answered: 'the customer answered',
};

/** Why nobody writes to the customer by machine, and until when. `who`: said of one that was acknowledged, if it is known. */
export function heldInWords({ because, until }: Hold, who?: string): string {
  const reason = because === 'acknowledged' && who !== undefined ? `${who} looks after it` : reasons[because];
  return `held: ${reason}${until === null ? '' : `, until ${until}`}`;
}

/** The same where there is little room. */
export const heldShortly = ({ until }: Hold): string => (until === null ? 'held' : `held until ${until}`);

/** Whether what a machine would write that day is kept back; `until` is the first day that is free. */
export const keepsBack = (hold: Hold | null, day: string): boolean =>
  hold !== null && (hold.until === null || day < hold.until);
