import { withTask } from './history.ts';
import type { Left, LeftWords, Life } from './life.ts';
import type { Written } from './planner.ts';
import type { Entry, Register } from './register.ts';

/** How the newest alert about a renewal's date stands: one of these, or the promise is broken. */
export type End = 'none due' | 'task' | 'reached' | 'under way' | 'held' | 'silent' | 'broken';

const hourMs = 3_600_000;

/** Asked every evening: whoever is to be alerted has been reached, is about to be, is held, or is somebody's task. */
export function endOf(life: Life, register: Register): End {
  const { renewal, ledger } = register;
  const fired = register.newest();
  if (!fired || ['COMPLETED', 'CANCELLED'].includes(renewal.status)) return 'none due';
  if (hasTask(life, renewal.id, fired.at)) return 'task';
  const alert = ledger.find((one) => one.due_date === fired.due_date && one.rung === fired.rung);
  const lacksTask = withTask.has(fired.rung) && alert?.state === 'FIRED' && !hasTask(life, renewal.id, alert.at);
  if (lacksTask) return 'broken';
  return onward(life, register, fired);
}

/** One of its alerts is open, or somebody has done it since. */
const hasTask = ({ planner: { tasks } }: Life, renewal_id: string, since: Date): boolean =>
  tasks.some(
    ({ renewal_id: about, rung, closed_because: why, closed_at: at }) =>
      about === renewal_id && rung !== null && (at === null || (why === 'done' && new Date(at) >= since)),
  );

function onward(life: Life, register: Register, fired: Entry): End {
  const { planner } = life;
  if (fired.silent) return 'silent';
  if (life.heldSinceNight.has(register) || life.isHeld(register) || isTonights(register, life.today)) return 'held';
  const { id } = register.renewal;
  const isOf = (one: { renewal_id: string; due_date: string; rung: string; step: string }) =>
    one.renewal_id === id && one.due_date === fired.due_date && one.rung === fired.rung && one.step === fired.step;
  const left = life.left.filter(({ message }) => message.named.some(isOf));
  if (left.some(hasReached)) return 'reached';
  const waits = planner.sends.some(({ message, status }) => status === 'QUEUED' && message.named.some(isOf));
  return waits || left.some((one) => isGoing(one, life.now)) ? 'under way' : 'broken';
}

/** What a hold kept back, also under a date that is moved back to, the next refresh sends. */
function isTonights({ renewal }: Register, today: string): boolean {
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

/** What is wrong with what was decided; nothing when all is as promised. */
export function wrongs({ planner, registers }: Life): string[] {
  const keys = planner.actions.map((one) => `${nameOf(one)} ${one.channel}`);
  const unexplained = planner.actions.filter(({ outcome, reason }) => outcome !== 'planned' && !reason?.message);
  const silenced = planner.sends.filter(
    ({ status, reason }) => (status === 'CANCELLED' || status === 'REFUSED') && !reason,
  );
  const open = planner.tasks.filter(({ status, rung }) => status === 'OPEN' && rung !== null);
  return [
    ...twice('decided twice', keys),
    ...unexplained.map(({ id }) => `not sent without a reason: ${id}`),
    ...silenced.map(({ message }) => `neither left nor says why: ${message.record}`),
    ...planner.actions.filter((one) => !one.carried_out).map(({ id }) => `not put into words: ${id}`),
    ...twice(
      'two open tasks',
      open.map(({ renewal_id }) => String(renewal_id)),
    ),
    ...registers.flatMap(outreachWrongs),
  ];
}

/** What is wrong with what left, of a whole life. */
export function wrongsOfLeft(life: Life): string[] {
  const { left, planner } = life;
  const firsts = left.filter(({ attempt }) => attempt === 1);
  return [
    ...twice(
      'sent twice',
      left.map(({ record, attempt }) => `${record} ${attempt}`),
    ),
    ...firsts.filter(({ isHeld }) => isHeld).map(({ record }) => `left while held: ${record}`),
    ...left.filter(({ isOver }) => isOver).map(({ record }) => `left though over: ${record}`),
    ...letterWrongs(planner.written, firsts),
    ...timeWrongs(life, firsts),
  ];
}

const nameOf = (one: { renewal_id: string; due_date: string; rung: string; step: string }): string =>
  `${one.renewal_id} ${one.due_date} ${one.rung} ${one.step}`;

function twice(what: string, names: readonly string[]): string[] {
  if (new Set(names).size === names.length) return [];
  return names.filter((one, n) => names.indexOf(one) < n).map((one) => `${what}: ${one}`);
}

/**
 * What a night fired is one message a channel; so is what takes its place, of all that it named and at one moment. Each
 * renewal is named in one of a channel.
 */
function letterWrongs(written: readonly Written[], firsts: readonly LeftWords[]): string[] {
  const named = firsts.flatMap(({ channel, message }) => message.named.map((one) => `${nameOf(one)} ${channel}`));
  const inOne = firsts.flatMap(({ message }) =>
    twice(
      'named twice in it',
      message.named.map(({ renewal_id }) => renewal_id),
    ),
  );
  const ofNights = firsts
    .filter(({ message }) => isOfNight(message))
    .map(({ channel, message }) => `${message.together} ${channel}`);
  const left = firsts.map(({ message }) => message);
  const split = left.flatMap((one, n) =>
    left.slice(0, n).filter((other) => isSameMoment(one, other) && haveNeighbours(one, other, written)),
  );
  return [
    ...twice('two messages of one night', ofNights),
    ...split.map(({ record }) => `what took the place of one message is two: ${record}`),
    ...twice('named twice', named),
    ...inOne,
  ];
}

export const isOfNight = ({ together }: Written): boolean => together.startsWith('run-');

const isSameMoment = (one: Written, other: Written): boolean =>
  one.channel === other.channel && one.at.getTime() === other.at.getTime();

/** The last message before that named an alert of the one also named one of the other. */
const haveNeighbours = (one: Written, other: Written, written: readonly Written[]): boolean => {
  const of = lastBefore(other, written);
  return lastBefore(one, written).some((last) => of.includes(last));
};

const lastBefore = ({ at, named }: Written, written: readonly Written[]): Written[] =>
  named.flatMap((alert) => written.findLast((before) => before.at < at && isIn(before, alert)) ?? []);

const isIn = ({ named }: Written, alert: Written['named'][number]): boolean =>
  named.some((one) => nameOf(one) === nameOf(alert));

/** None leaves but when it may, and each does as soon as it may. */
function timeWrongs({ hours, planner, now }: Life, firsts: readonly LeftWords[]): string[] {
  const untimely = firsts.filter(({ at, message }) => !hours.mayLeave(at, message.named[0]));
  const late = firsts.flatMap(({ since, at, message }) => {
    const missed = hours.missed(since, at, message.named[0]);
    return missed ? [`left at ${at.toISOString()}, not at ${missed.toISOString()}`] : [];
  });
  const stuck = planner.sends.filter(({ status, due }) => status === 'QUEUED' && due < now);
  return [
    ...untimely.map(({ at, record }) => `left at the wrong time, ${at.toISOString()}: ${record}`),
    ...late,
    ...stuck.map(({ message }) => `waits for nothing: ${message.record}`),
  ];
}

/** Each entry of the ledger is decided once; the steps after an alert in their order, each gone or passed over. */
function outreachWrongs({ ledger, renewal: { id, sequence } }: Register): string[] {
  const names = ledger.map(({ due_date, rung, step }) => `${id} ${due_date} ${rung} ${step}`);
  const steps = ledger.filter(({ step }) => /^[1-9]$/.test(step));
  const bySequence = Map.groupBy(steps, ({ due_date, rung }) => `${due_date} ${rung}`);
  const unordered = [...bySequence].filter(([, of]) => of.some(({ step }, n) => Number(step) !== n + 1));
  const present = sequence ? (bySequence.get(`${sequence.due_date} ${sequence.rung}`) ?? []) : [];
  const isOpen = (which: string) => sequence !== null && which === `${sequence.due_date} ${sequence.rung}`;
  const unfinished = [...bySequence].filter(([which, of]) => !isOpen(which) && of.length < 3);
  return [
    ...twice('in the ledger twice', names),
    ...unordered.map(([which]) => `steps out of order: ${which}`),
    ...unfinished.map(([which]) => `steps neither gone nor passed over: ${which}`),
    ...(sequence && present.length !== sequence.decided ? [`decided otherwise: ${sequence.decided}`] : []),
  ];
}
