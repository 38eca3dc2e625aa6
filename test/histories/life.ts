import { addDays, type PlainDate } from '@ops/contracts/dates';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Heard } from '../../services/notifier/src/planning/heard.rules.ts';
import { isClosed } from '../../services/renewals-service/src/renewals/renewal.rules.ts';
import { renewalChanged } from '../../services/renewals-service/src/renewals/renewal-events.ts';
import type { Deed, History, Person, Stretch } from './history.ts';
import { Planner } from './planner.ts';
import { type Changed, Register } from './register.ts';

/** A message that left, and what the world outside told of it since. */
export interface Left {
  action: string;
  attempt: number;
  channel: OutsideType;
  at: Date;
  isHeld: boolean;
  told: { at: Date; status: Heard['status'] }[];
}

const firstDay = '2027-03-01';

/** One renewal from its first day on: both services, the customer, and the clock. */
export class Life {
  today: PlainDate = firstDay;
  now = new Date(`${firstDay}T12:00:00Z`);
  readonly register: Register;
  readonly planner: Planner;
  readonly left: Left[] = [];
  /** Whether it was held at any time since the last refresh while it was open. */
  heldSinceNight = false;
  readonly #history: History;
  readonly #card: CustomerCard;
  #isKnown: boolean;
  #news: { at: Date; left: Left; status: Heard['status'] }[] = [];

  constructor(history: History) {
    this.#history = history;
    this.#isKnown = history.person.known;
    this.#card = cardOf(history.person);
    this.register = new Register(addDays(firstDay, history.ahead), firstDay, history.seed);
    this.planner = new Planner({
      now: () => this.now,
      today: () => this.today,
      standing: () => renewalChanged(this.register.renewal, 'changed', this.today).data as Changed,
      card: () => (this.#isKnown ? { ...this.#card } : undefined),
      held: (action) => this.register.keepBack(action, this.today),
      unknown: (action) => this.register.awaitCustomer(action, this.#isKnown, this.today),
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

  #day({ missed, lags, early, late }: Stretch, isLast: boolean): void {
    this.#until('02:00');
    if (!missed) this.#night();
    this.#until('09:00');
    if (isLast) this.#do(early, lags);
    this.#until('10:00');
    this.#leave();
    this.#until('18:00');
    this.#handOver();
    if (isLast) this.#do(late, lags);
    this.#until('19:00');
    this.#leave();
    this.#until('20:00');
    this.#handOver();
  }

  #night(): void {
    this.register.night(this.today, this.now);
    if (!isClosed(this.register.renewal.status)) this.heldSinceNight = this.register.holdOn(this.today) !== null;
    this.#handOver();
  }

  #do(deed: Deed, lags: boolean): void {
    this.heldSinceNight ||= this.register.holdOn(this.today) !== null;
    this.register.do(deed, this.today, this.now);
    this.heldSinceNight ||= this.register.holdOn(this.today) !== null;
    if (deed.kind === 'closeTask') this.planner.closeTask();
    if (deed.kind === 'sendAgain') this.planner.sendAgain();
    this.#changeCustomer(deed);
    if (!lags) this.#handOver();
  }

  #changeCustomer(deed: Deed): void {
    if (deed.kind === 'becomeKnown') {
      this.#isKnown = true;
      this.register.learnCustomer(this.today);
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
    for (const changed of this.register.changes.splice(0)) this.planner.follow(changed);
    for (const alert of this.register.alerts.splice(0)) this.planner.plan(alert);
    this.planner.look();
  }

  #leave(): void {
    const { fates } = this.#history;
    for (const { action, attempt } of this.planner.leave()) {
      const isHeld = this.register.holdOn(this.today) !== null;
      const channel = action.channel as OutsideType;
      const left: Left = { action: action.id, attempt, channel, at: this.now, isHeld, told: [] };
      const fate = fates[this.left.length % fates.length] ?? [];
      this.left.push(left);
      for (const { after, status } of fate)
        this.#news.push({ at: new Date(this.now.getTime() + after * 3_600_000), left, status });
    }
  }

  /** The clock goes on; what is told of messages, and what is to be looked at, comes in its time. */
  #until(time: string): void {
    const end = new Date(`${this.today}T${time}:00Z`);
    for (;;) {
      const news = this.#news.toSorted((a, b) => a.at.getTime() - b.at.getTime())[0];
      const looks = [...this.planner.lookAgain.values()].map((at) => at.getTime());
      const next = Math.min(...looks, news?.at.getTime() ?? Number.POSITIVE_INFINITY);
      if (next > end.getTime()) break;
      this.now = new Date(Math.max(next, this.now.getTime()));
      if (news && news.at.getTime() === next) this.#tell(news);
      else this.planner.look();
    }
    this.now = end;
  }

  #tell(news: { at: Date; left: Left; status: Heard['status'] }): void {
    this.#news = this.#news.filter((one) => one !== news);
    const { left, status } = news;
    left.told.push({ at: this.now, status });
    const failure = status === 'FAILED' ? { code: 'smtp:550', message: 'No such mailbox' } : null;
    this.planner.hear(left.action, { status, attempt: left.attempt, failure, at: this.now.toISOString() });
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
});
