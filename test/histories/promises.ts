import { withTask } from './history.ts';
import type { Left, Life } from './life.ts';
import type { Entry } from './register.ts';

/** How the newest alert about a renewal's date stands: one of these, or the promise is broken. */
export type End = 'none due' | 'task' | 'reached' | 'under way' | 'held' | 'silent' | 'broken';

const hourMs = 3_600_000;

/** Asked every evening: whoever is to be alerted has been reached, is about to be, is held, or is somebody's task. */
export function endOf(life: Life): End {
  const { register } = life;
  const fired = register.newest();
  if (!fired || ['COMPLETED', 'CANCELLED'].includes(register.renewal.status)) return 'none due';
  if (hasTask(life, fired.at)) return 'task';
  const alert = register.ledger.find((one) => one.due_date === fired.due_date && one.rung === fired.rung);
  const lacksTask = withTask.has(fired.rung) && alert?.state === 'FIRED' && !hasTask(life, alert.at);
  if (lacksTask) return 'broken';
  return onward(life, fired);
}

/** One is open, or somebody has done it since. */
const hasTask = ({ planner: { tasks } }: Life, since: Date): boolean =>
  tasks.some(({ closed_because: why, closed_at: at }) => at === null || (why === 'done' && new Date(at) >= since));

function onward(life: Life, fired: Entry): End {
  const { register, planner } = life;
  if (fired.silent) return 'silent';
  if (life.heldSinceNight || register.holdOn(life.today) || isTonights(life)) return 'held';
  const isOf = (one: { due_date: string; rung: string; step: string }) =>
    one.due_date === fired.due_date && one.rung === fired.rung && one.step === fired.step;
  const ids = new Set(planner.actions.filter(isOf).map(({ id }) => id));
  const left = life.left.filter(({ action }) => ids.has(action));
  if (left.some(hasReached)) return 'reached';
  const waits = planner.sends.some(
    ({ action, status, since }) => ids.has(action) && status === 'QUEUED' && isWithin(life.now, since, 24),
  );
  return waits || left.some((one) => isGoing(one, life.now)) ? 'under way' : 'broken';
}

/** What a hold kept back, also under a date that is moved back to, the next refresh sends. */
function isTonights({ register: { renewal }, today }: Life): boolean {
  return renewal.withheld && renewal.next_alert_on !== null && renewal.next_alert_on <= today;
}

export const isWithin = (now: Date, since: Date, hours: number) => now.getTime() - since.getTime() < hours * hourMs;

/** DELIVERED or READ on any channel; by e-mail and SMS SENT too, as long as no failure is heard. */
export function hasReached({ channel, told }: Left): boolean {
  const said = new Set(told.map(({ status }) => status));
  const counts = channel !== 'MESSAGING_APP' && said.has('SENT') && !said.has('FAILED');
  return said.has('DELIVERED') || said.has('READ') || counts;
}

/** The messaging app has 72 hours to confirm, and nobody waits longer than 24 for what is uncertain. */
export function isGoing({ at, told }: Left, now: Date): boolean {
  const last = told.at(-1);
  if (!last) return isWithin(now, at, 24);
  if (last.status === 'UNCERTAIN') return isWithin(now, last.at, 24);
  return last.status === 'SENT' && isWithin(now, last.at, 72);
}

/** What is wrong with what left, or did not; nothing when all is as promised. */
export function wrongs({ left, planner, register, now }: Life): string[] {
  const keys = planner.actions.map(({ due_date, rung, step, channel }) => `${due_date} ${rung} ${step} ${channel}`);
  const firsts = left.map(({ action, attempt }) => `${action} ${attempt}`);
  const unexplained = planner.actions.filter(({ outcome, reason }) => outcome !== 'planned' && !reason?.message);
  const stuck = planner.sends.filter(({ status, since, reason }) => {
    const isLate = status === 'QUEUED' && !isWithin(now, since, 24);
    return isLate || (status !== 'QUEUED' && status !== 'LEFT' && !reason);
  });
  const open = planner.tasks.filter(({ status }) => status === 'OPEN');
  return [
    ...(new Set(keys).size < keys.length ? [`decided twice: ${keys}`] : []),
    ...(new Set(firsts).size < firsts.length ? [`sent twice: ${firsts}`] : []),
    ...left.filter(({ isHeld, attempt }) => isHeld && attempt === 1).map(({ action }) => `left while held: ${action}`),
    ...unexplained.map(({ id }) => `not sent without a reason: ${id}`),
    ...stuck.map(({ action }) => `neither left nor says why: ${action}`),
    ...(open.length > 1 ? ['two open tasks'] : []),
    ...outreachWrongs(register),
  ];
}

/** Each entry of the ledger is decided once; the steps after an alert in their order, each gone or passed over. */
function outreachWrongs({ ledger, renewal: { sequence } }: Life['register']): string[] {
  const names = ledger.map(({ due_date, rung, step }) => `${due_date} ${rung} ${step}`);
  const steps = ledger.filter(({ step }) => /^[1-9]$/.test(step));
  const bySequence = Map.groupBy(steps, ({ due_date, rung }) => `${due_date} ${rung}`);
  const unordered = [...bySequence].filter(([, of]) => of.some(({ step }, n) => Number(step) !== n + 1));
  const present = sequence ? (bySequence.get(`${sequence.due_date} ${sequence.rung}`) ?? []) : [];
  const isOpen = (which: string) => sequence !== null && which === `${sequence.due_date} ${sequence.rung}`;
  const unfinished = [...bySequence].filter(([which, of]) => !isOpen(which) && of.length < 3);
  return [
    ...(new Set(names).size < names.length ? [`in the ledger twice: ${names}`] : []),
    ...unordered.map(([which]) => `steps out of order: ${which}`),
    ...unfinished.map(([which]) => `steps neither gone nor passed over: ${which}`),
    ...(sequence && present.length !== sequence.decided ? [`decided otherwise: ${sequence.decided}`] : []),
  ];
}
