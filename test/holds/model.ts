import { addDays, daysBetween } from '@ops/contracts/dates';
import { type Rung, rungs } from '@ops/contracts/resources/renewal';

/** What happens to a renewal in the course of a day. */
export type Deed =
  | { kind: 'answer' | 'machine' | 'takeBack' | 'start' | 'release' | 'nothing' }
  | { kind: 'acknowledge' | 'move'; days: number };

const reachedAt = (rung: Rung) => (rung === 'OVERDUE' ? -1 : Number(rung));

/** The tightest rung that is reached that day. */
const tightest = (due: string, today: string): Rung | undefined =>
  rungs.findLast((rung) => daysBetween(today, due) <= reachedAt(rung));

/** What is promised of one renewal and its customer, told as simply as can be; each method is a moment of a day. */
export class Model {
  due: string;
  /** When each message left, and at which rung. */
  sent: string[] = [];
  #started: 'no' | 'yes' | 'released' = 'no';
  #acknowledgedUntil = '';
  #answers: string[] = [];
  #decided = new Set<Rung>();
  #waiting: Rung | undefined;
  #owed = false;

  constructor(due: string) {
    this.due = due;
  }

  isHeld(today: string): boolean {
    const [near, isActive] = [addDays(this.due, -14), this.#started === 'yes'];
    const counts = (answered: string) => answered < near && today < near && today < addDays(answered, 14);
    return isActive || today < this.#acknowledgedUntil || this.#answers.some(counts);
  }

  night(today: string): void {
    const rung = tightest(this.due, today);
    const fires = rung !== undefined && !this.#decided.has(rung);
    for (const one of rungs) if (daysBetween(today, this.due) <= reachedAt(one)) this.#decided.add(one);
    if (this.isHeld(today)) this.#owed ||= fires;
    else {
      this.#waiting = fires || this.#owed ? rung : undefined;
      this.#owed = false;
    }
  }

  /** What waits leaves. */
  morning(today: string): void {
    if (this.#waiting !== undefined) this.sent.push(`${today} ${this.#waiting}`);
    this.#waiting = undefined;
  }

  do(deed: Deed, today: string): void {
    if (deed.kind === 'answer') this.#answers.push(today);
    if (deed.kind === 'takeBack') this.#answers.pop();
    if (deed.kind === 'start' && this.#started === 'no') this.#started = 'yes';
    if (deed.kind === 'acknowledge') this.#acknowledgedUntil = addDays(today, deed.days);
    if (deed.kind === 'release') this.#release();
    if (deed.kind === 'move' && deed.days !== 0) this.#move(addDays(this.due, deed.days), today);
    if (this.isHeld(today) && this.#waiting !== undefined) {
      this.#waiting = undefined;
      this.#owed = true;
    }
  }

  #release(): void {
    if (this.#started === 'yes') this.#started = 'released';
    this.#acknowledgedUntil = '';
    this.#answers = [];
  }

  #move(due: string, today: string): void {
    this.due = due;
    this.#acknowledgedUntil = '';
    this.#answers = [];
    this.#waiting = undefined;
    this.#decided = new Set([...this.#decided].filter((rung) => daysBetween(today, due) <= reachedAt(rung)));
    this.#owed &&= tightest(due, today) !== undefined;
  }
}
