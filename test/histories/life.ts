import { addDays, type PlainDate } from '@ops/contracts/dates';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Heard } from '../../services/notifier/src/planning/heard.rules.ts';
import { isClosed } from '../../services/renewals-service/src/renewals/renewal.rules.ts';
import { renewalChanged } from '../../services/renewals-service/src/renewals/renewal-events.ts';
import type { Deed, History, Person, Stretch } from './history.ts';
import { Hours, waitingAt } from './office.ts';
import { Planner, type Written } from './planner.ts';
import { type Changed, Register } from './register.ts';

/** A message that left, and what the world outside told of it since. */
export interface Left {
  record: string;
  attempt: number;
  channel: OutsideType;
  at: Date;
  /** Whether it names what is held at that moment. */
  isHeld: boolean;
  told: { at: Date; status: Heard['status'] }[];
}

/** One of the first attempt, and what it was written for. */
export interface LeftWords extends Left {
  message: Written;
  since: Date;
  /** Whether it names what is over at that moment, or has another date. */
  isOver: boolean;
}

const firstDay = '2027-03-01';

/** The renewals of one customer from the first day on: both services, the customer, and the clock. */
export class Life {
  today: PlainDate = firstDay;
  now = new Date(`${firstDay}T12:00:00Z`);
  readonly registers: Register[];
  readonly planner: Planner;
  readonly hours: Hours;
  readonly left: LeftWords[] = [];
  /** Those that were held at any time since the last refresh while they were open. */
  readonly heldSinceNight = new Set<Register>();
  readonly #history: History;
  readonly #card: CustomerCard;
  #isKnown: boolean;
  #news: { at: Date; left: Left; status: Heard['status'] }[] = [];

  constructor(history: History) {
    this.#history = history;
    this.#isKnown = history.person.known;
    this.#card = cardOf(history.person);
    this.registers = history.renewals.map((one, n) => new Register(`renewal-${n}`, one, firstDay));
    this.hours = new Hours(history.office, firstDay);
    this.planner = new Planner({
      now: () => this.now,
      today: () => this.today,
      standing: (id) => this.#standing(this.#registerOf(id)),
      card: () => (this.#isKnown ? { ...this.#card } : undefined),
      waiting: waitingAt(history.office, firstDay),
      held: (action) => this.#registerOf(action.renewal_id).keepBack(action, this.today),
      unknown: (action) => this.#registerOf(action.renewal_id).awaitCustomer(action, this.#isKnown, this.today),
    });
  }

  /** Day by day; `evening` is called at the end of each. */
  live(evening: () => void): void {
    for (const stretch of this.#history.stretches)
      for (let day = 1; day <= stretch.days; day += 1) {
        this.today = addDays(this.today, 1);
        this.#day(stretch, day === stretch.days);
        evening();
      }
  }

  isHeld(register: Register): boolean {
    return register.holdOn(this.today) !== null;
  }

  #registerOf(id: string): Register {
    return this.registers.find(({ renewal }) => renewal.id === id) as Register;
  }

  #standing = ({ renewal }: Register): Changed => renewalChanged(renewal, 'changed', this.today).data as Changed;

  #day({ missed, lags, early, late, about }: Stretch, isLast: boolean): void {
    const register = this.registers[about % this.registers.length] as Register;
    this.#until('02:00');
    if (!missed) this.#night();
    this.#until('07:00');
    if (isLast) this.#do(early, register, lags);
    this.#until('18:00');
    this.#handOver();
    if (isLast) this.#do(late, register, lags);
    this.#until('20:00');
    this.#handOver();
  }

  #night(): void {
    for (const register of this.registers) {
      register.night(`run-${this.today}`, this.today, this.now);
      if (isClosed(register.renewal.status)) continue;
      if (this.isHeld(register)) this.heldSinceNight.add(register);
      else this.heldSinceNight.delete(register);
    }
    this.#handOver();
  }

  #do(deed: Deed, register: Register, lags: boolean): void {
    if (this.isHeld(register)) this.heldSinceNight.add(register);
    register.do(deed, this.today, this.now);
    if (this.isHeld(register)) this.heldSinceNight.add(register);
    if (deed.kind === 'closeTask') this.planner.closeTask(register.renewal.id);
    if (deed.kind === 'sendAgain') this.planner.sendAgain();
    this.#changeCustomer(deed);
    if (!lags) this.#handOver();
  }

  #changeCustomer(deed: Deed): void {
    if (deed.kind === 'becomeKnown') {
      this.#isKnown = true;
      for (const register of this.registers) register.learnCustomer(this.today);
    }
    if (deed.kind === 'noContact' || deed.kind === 'contact') this.#card.do_not_contact = deed.kind === 'noContact';
    if (!('channel' in deed)) return;
    const { channel } = deed;
    const others = this.#card.opted_out.filter((one) => one !== channel);
    if (deed.kind === 'optOut') this.#card.opted_out = [...others, channel];
    if (deed.kind === 'optIn') this.#card.opted_out = others;
    const gets = deed.kind === 'giveAddress';
    if (!gets && deed.kind !== 'loseAddress') return;
    if (channel === 'EMAIL') this.#card.emails = gets ? ['ada@example.com'] : [];
    else this.#card.phones = gets ? ['+447700900123'] : [];
  }

  /** What renewals-service told reaches notifier, the changes before the alerts. */
  #handOver(): void {
    for (const { changes } of this.registers) for (const changed of changes.splice(0)) this.planner.follow(changed);
    for (const { alerts } of this.registers) for (const alert of alerts.splice(0)) this.planner.plan(alert);
    for (const register of this.registers)
      for (const { cancelled } of register.endings.splice(0)) this.planner.confirm(this.#standing(register), cancelled);
    this.planner.writeLetters();
    this.planner.look();
  }

  #leave(): void {
    const { fates } = this.#history;
    for (const { message, attempt, since } of this.planner.leave()) {
      const { record, channel, named } = message;
      const about = named.map((one) => ({ one, register: this.#registerOf(one.renewal_id) }));
      const isHeld = about.some(({ register }) => this.isHeld(register));
      const isOver = about.some(
        ({ one, register: { renewal } }) => isClosed(renewal.status) || renewal.due_date !== one.due_date,
      );
      const left = { record, attempt, channel, at: this.now, isHeld, isOver, told: [], message, since };
      const fate = fates[this.left.length % fates.length] ?? [];
      this.left.push(left);
      for (const { after, status } of fate)
        this.#news.push({ at: new Date(this.now.getTime() + after * 3_600_000), left, status });
    }
  }

  /** The clock goes on; what is told of messages, what is to be looked at, and what is to leave comes in its time. */
  #until(time: string): void {
    const end = new Date(`${this.today}T${time}:00Z`);
    for (;;) {
      const news = this.#news.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0];
      const looks = [...this.planner.lookAgain.values()].map((at) => at.getTime());
      const leaves = this.planner.nextLeaving()?.getTime() ?? Number.POSITIVE_INFINITY;
      const next = Math.min(...looks, leaves, news?.at.getTime() ?? Number.POSITIVE_INFINITY);
      if (next > end.getTime()) break;
      this.now = new Date(Math.max(next, this.now.getTime()));
      if (news && news.at.getTime() === next) this.#tell(news);
      else if (leaves === next) this.#leave();
      this.planner.look();
    }
    this.now = end;
  }

  #tell(news: { at: Date; left: Left; status: Heard['status'] }): void {
    this.#news = this.#news.filter((one) => one !== news);
    const { left, status } = news;
    left.told.push({ at: this.now, status });
    const failure = status === 'FAILED' ? { code: 'smtp:550', message: 'No such mailbox' } : null;
    this.planner.hear(left.record, { status, attempt: left.attempt, failure, at: this.now.toISOString() });
  }
}

const cardOf = ({ phone, email, preferred, optedOut }: Person): CustomerCard => ({
  id: 'C-1',
  name: 'Ada Demo',
  phones: phone ? ['+447700900123'] : [],
  emails: email ? ['ada@example.com'] : [],
  user_ids: [],
  opted_out: optedOut ? [optedOut] : [],
  locale: null,
  time_zone: null,
  assigned_agent: null,
  preferred_channel: preferred,
  do_not_contact: false,
  merged: null,
});
