/**
 * Who waits for an answer, said once more and otherwise: by going through all that was said in the order in which it came
 * into the logs. It knows of no clock of ours and no table.
 */
export interface Message {
  id: string;
  /** The id it was written under; whoever that leads to waits. */
  customer: string | null;
  /** In which turn it came into the log it is in. */
  turn: number;
  written: string;
  withdrawn: boolean;
}

interface Answer {
  id: string;
  customer: string;
  turn: number;
  lost: boolean;
}

interface Talk {
  id: string;
  customer: string;
  /** When it was had; long before all that happens here, where it is told of later. */
  turn: number;
  at: string;
  struck: boolean;
}

interface Put {
  turn: number;
  id: string;
}

/** What it was before somebody changed it, under each id of the customer. */
interface Change {
  id: string;
  done: [string, Put | undefined][];
  snoozed: Put | undefined;
  /** The turn up to which it was put off by the change, or before it, where that stays. */
  named: number;
  isTakenBack: boolean;
}

export class AttentionModel {
  turn = 0;
  readonly messages: Message[] = [];
  readonly answers: Answer[] = [];
  readonly talks: Talk[] = [];
  private readonly done = new Map<string, Put>();
  private readonly snoozed = new Map<string, Put>();
  private readonly merged = new Map<string, { into: string; turn: number }>();

  home(id: string): string {
    const { into } = this.merged.get(id) ?? {};
    return into === undefined ? id : this.home(into);
  }
  readonly changes = new Map<string, Change[]>();

  waiting(customer: string): Message[] {
    const home = this.home(customer);
    return this.messages.filter(
      (message) =>
        message.customer !== null &&
        this.home(message.customer) === home &&
        !message.withdrawn &&
        !this.answers.some((one) => !one.lost && one.turn > message.turn && this.hears(message.customer, one)) &&
        !this.talks.some((one) => !one.struck && one.at >= message.written && this.hears(message.customer, one)) &&
        !this.isDone(message),
    );
  }

  /** Whoever wrote under this id is told by what was said under the other one, if the two were one by then. */
  private hears(id: string | null, said: { customer: string; turn: number }): boolean {
    if (id === said.customer) return true;
    const since = id === null ? undefined : this.oneSince(id, said.customer);
    return since !== undefined && said.turn >= since;
  }

  private oneSince(one: string, other: string): number | undefined {
    const theirs = new Map(this.above(other));
    const common = this.above(one).flatMap(([id, since]) => {
      const also = theirs.get(id);
      return also === undefined ? [] : [Math.max(since, also)];
    });
    return common.length === 0 ? undefined : Math.min(...common);
  }

  /** Where the id leads, step by step, and since when. */
  private above(id: string, since = 0): [string, number][] {
    const next = this.merged.get(id);
    return [[id, since], ...(next ? this.above(next.into, Math.max(since, next.turn)) : [])];
  }

  private isDone(message: Message): boolean {
    const done = this.done.get(message.customer ?? '');
    return done !== undefined && isUpTo(message, done);
  }

  /** Put off only if all who wait were. */
  merge(id: string, into: string): void {
    const waiting = [id, into].filter((one) => this.waiting(one).length > 0);
    const isPutOff = waiting.length > 0 && waiting.every((one) => this.isSnoozed(one));
    this.merged.set(id, { into, turn: this.turn });
    this.forgetChanges(id, into);
    const newest = this.waiting(into).sort(byTurn).at(-1);
    if (isPutOff && newest) this.snoozed.set(into, { turn: newest.turn, id: '' });
    else this.snoozed.delete(into);
  }

  unmerge(id: string): void {
    const survivor = this.home(id);
    this.merged.delete(id);
    this.forgetChanges(id, survivor);
    const put = this.snoozed.get(survivor);
    if (put) this.snoozed.set(id, put);
    else this.snoozed.delete(id);
    this.wake(id);
    this.wake(survivor);
  }

  isSnoozed(customer: string): boolean {
    const put = this.snoozed.get(this.home(customer));
    return put !== undefined && this.waiting(customer).length > 0;
  }

  /** What comes into a log ends its being put off, if it is a message that waits. */
  wake(customer: string | null): void {
    if (customer === null) return;
    const home = this.home(customer);
    const put = this.snoozed.get(home);
    if (put && this.waiting(home).some(({ turn }) => turn > put.turn)) this.snoozed.delete(home);
  }

  snooze(customer: string, upTo: Message | undefined, change = ''): void {
    const put = { turn: upTo?.turn ?? this.turn, id: '' };
    this.remember(customer, change, put.turn);
    this.snoozed.set(this.home(customer), put);
    this.wake(customer);
  }

  beDone(customer: string, upTo: Message | undefined, change: string | null = ''): void {
    const home = this.home(customer);
    const put = upTo ?? this.waiting(home).sort(byTurn).at(-1);
    const further = this.idsOf(home).filter(
      (id) => put && (!this.done.has(id) || isAfter(put, this.done.get(id) as Put)),
    );
    if (!put || further.length === 0) return;
    this.remember(home, change ?? 'nobody told', 0);
    for (const id of further) {
      this.done.set(id, { turn: put.turn, id: put.id });
      this.snoozed.delete(id);
    }
  }

  beAwake(customer: string, change: string): void {
    const home = this.home(customer);
    this.remember(home, change, this.snoozed.get(home)?.turn ?? 0);
    this.snoozed.delete(home);
  }

  /** The last change, which alone can be taken back, and as often as one likes. */
  takeBack(customer: string): void {
    const home = this.home(customer);
    const last = this.changes.get(home)?.at(-1);
    if (!last || last.isTakenBack) return;
    last.isTakenBack = true;
    const named = this.idsOf(home).map((id) => Math.max(this.done.get(id)?.turn ?? 0, last.named));
    for (const [id, put] of last.done) restore(this.done, id, put);
    // Put off again for what was seen by whoever put them off no more.
    restore(this.snoozed, home, last.snoozed && last.snoozed.turn <= Math.min(...named) ? last.snoozed : undefined);
    this.wake(home);
    const put = this.snoozed.get(home);
    if (put) this.snoozed.set(home, { ...put, turn: Math.max(put.turn, ...named) });
  }

  private remember(customer: string, id: string, named: number): void {
    const home = this.home(customer);
    const done = this.idsOf(home).map((one): [string, Put | undefined] => [one, this.done.get(one)]);
    const change = { id, done, snoozed: this.snoozed.get(home), named, isTakenBack: false };
    this.changes.set(home, [...(this.changes.get(home) ?? []), change]);
  }

  /** Of two who became one, or are one no more. */
  private forgetChanges(...ids: string[]): void {
    for (const id of ids) this.changes.delete(id);
  }

  /** Of one customer, under which messages were written. */
  private idsOf(home: string): string[] {
    return [home, ...[...this.merged.keys()].filter((one) => this.home(one) === home)];
  }

  since(customer: string): string | null {
    return (
      this.waiting(customer)
        .map(({ written }) => written)
        .sort()[0] ?? null
    );
  }
}

const isAfter = (one: Put, other: Put) => one.turn > other.turn || (one.turn === other.turn && one.id > other.id);
const isUpTo = (one: Put, last: Put) => !isAfter(one, last);
export const byTurn = (one: Put, other: Put) => (isAfter(one, other) ? 1 : -1);
function restore(where: Map<string, Put>, customer: string, before: Put | undefined): void {
  if (before) where.set(customer, before);
  else where.delete(customer);
}
