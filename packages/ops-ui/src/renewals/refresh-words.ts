import type { Foreseen, RefreshRun } from '../api/types.ts';
import { asSentence, counted } from '../parts/words.ts';
import { heldInWords } from './hold-words.ts';
import { deedInWords } from './outreach-words.ts';
import { alertInWords, type Rung, rungs } from './rung-names.ts';

export const renewalsInWords = (count: number): string => counted(count, 'renewal');

const grouped = (count: number): string => count.toLocaleString();

/** Those a more urgent one takes the place of, loosest first as the ladder has them: "90, 60 and 30 days". */
export function supersededInWords(superseded: readonly Rung[]): string {
  const days = superseded.filter((one) => one !== 'OVERDUE');
  const last = days.at(-1);
  if (last === undefined) return '';
  return days.length === 1 ? `${last} days` : `${days.slice(0, -1).join(', ')} and ${last} days`;
}

/** Such as "3 at 14 days" and "1 overdue", the most urgent last as the ladder goes. */
export const byRungInWords = (byRung: RefreshRun['counts']['by_rung']): { rung: Rung; words: string }[] =>
  rungs.flatMap((rung) => {
    const count = byRung[rung] ?? 0;
    if (count === 0) return [];
    return { rung, words: rung === 'OVERDUE' ? `${grouped(count)} overdue` : `${grouped(count)} at ${rung} days` };
  });

/** Which renewals a run alerted, and at which rung if they are those of one. */
export function alertedByInWords(rung: Rung | undefined, day: string | undefined): string {
  const at = rung === undefined ? 'Alerted' : rung === 'OVERDUE' ? 'Alerted as overdue' : `Alerted at ${rung} days`;
  return `${at} by ${day === undefined ? 'a refresh' : `the refresh of ${day}`}`;
}

/** How far a run came; its end is not known while it counts anew what is left. */
export function shareDone({ counts: { looked_at }, remaining }: Pick<RefreshRun, 'counts' | 'remaining'>) {
  if (remaining === null) return null;
  const all = looked_at + remaining;
  return all === 0 ? null : looked_at / all;
}

export function progressInWords({ counts, remaining }: Pick<RefreshRun, 'counts' | 'remaining'>): string {
  const left = remaining === null ? '' : `, ${grouped(remaining)} to go`;
  return `Looked at ${renewalsInWords(counts.looked_at)}${left}. ${grouped(counts.fired)} alerted so far.`;
}

/** Whom a run that is over alerted; what of them by rung comes after it. */
export function alertedInWords({ looked_at, fired }: RefreshRun['counts']): string {
  if (fired > 0) return `Looked at ${renewalsInWords(looked_at)} and alerted ${grouped(fired)}`;
  return looked_at === 0
    ? 'Nothing new was due, so nobody was alerted'
    : `Looked at ${renewalsInWords(looked_at)}; nobody was alerted`;
}

/** What else it did, a sentence for each thing. */
export function otherDeedsInWords({ outreach, superseded, became_overdue, set_aside }: RefreshRun['counts']): string[] {
  return [
    ...(outreach > 0 ? [`${grouped(outreach)} followed an earlier alert.`] : []),
    ...(became_overdue > 0 ? [`${grouped(became_overdue)} became overdue.`] : []),
    ...(superseded > 0
      ? [`${counted(superseded, 'earlier rung was', 'earlier rungs were')} superseded by a more urgent one.`]
      : []),
    ...(set_aside > 0
      ? [`${grouped(set_aside)} could not be handled and ${left(set_aside)} to the next refresh.`]
      : []),
  ];
}

/** What nobody is at, and no alert of that run is about. */
export const atRiskInWords = (count: number): string =>
  `${grouped(count)} near ${count === 1 ? 'its date has' : 'their dates have'} nobody at ${count === 1 ? 'it' : 'them'}`;

const left = (count: number) => (count === 1 ? 'is left' : 'are left');

/** How far away it is stands beside it, in words of ours. */
const daysFirst = /^\d+ days? (past due|until due): /;

/** Why, in a sentence of the service's own where it knows more than the fields say. */
export function why({
  because,
  status,
  fires,
  becomes_overdue,
  hold,
  sends_after_hold,
  goes,
  explanation,
}: Foreseen): string {
  if (because === 'closed') return `It is ${status.toLowerCase()}.`;
  if (sends_after_hold !== null)
    return `What a hold kept back is sent as the ${alertInWords(sends_after_hold).toLowerCase()}.`;
  if (goes?.does)
    return `Step ${goes.step} of the ${alertInWords(goes.rung).toLowerCase()}: ${deedInWords(goes.does)}.`;
  if (goes) return `The customer, unknown before, gets the ${alertInWords(goes.rung).toLowerCase()}.`;
  const held = hold === null ? [] : [asSentence(heldInWords(hold))];
  if (fires === null) return [asSentence(explanation.replace(daysFirst, '')), ...held].join(' ');
  const reached = fires === 'OVERDUE' ? 'It is past due' : `At most ${fires} days are left`;
  const alert = because === 'reached_silently' ? 'the customer is not written to' : 'that alert was not sent yet';
  return [`${reached}; ${alert}.`, ...held, ...(becomes_overdue ? ['It becomes overdue.'] : [])].join(' ');
}
