/**
 * Who waits for an answer, said once more and otherwise: by going through all that was said in the order in which it came
 * into the logs. It knows of no clock of ours and no table.
 */
export interface Message {
  id: string;
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
  at: string;
  struck: boolean;
}

interface Put {
  turn: number;
  id: string;
}

export class AttentionModel {
  turn = 0;
  readonly messages: Message[] = [];
  readonly answers: Answer[] = [];
  readonly talks: Talk[] = [];
  private readonly done = new Map<string, Put>();
  private readonly snoozed = new Map<string, Put>();

  waiting(customer: string): Message[] {
    const done = this.done.get(customer);
    return this.messages.filter(
      (message) =>
        message.customer === customer &&
        !message.withdrawn &&
        !this.answers.some((one) => one.customer === customer && !one.lost && one.turn > message.turn) &&
        !this.talks.some((one) => one.customer === customer && !one.struck && one.at >= message.written) &&
        !(done && isUpTo(message, done)),
    );
  }

  isSnoozed(customer: string): boolean {
    const put = this.snoozed.get(customer);
    return put !== undefined && this.waiting(customer).length > 0;
  }

  /** What comes into a log ends its being put off, if it is a message that waits. */
  wake(customer: string | null): void {
    if (customer === null) return;
    const put = this.snoozed.get(customer);
    if (put && this.waiting(customer).some(({ turn }) => turn > put.turn)) this.snoozed.delete(customer);
  }

  snooze(customer: string, upTo: Message | undefined): void {
    this.snoozed.set(customer, { turn: upTo?.turn ?? this.turn, id: '' });
    this.wake(customer);
  }

  beDone(customer: string, upTo: Message | undefined): void {
    const newest = this.waiting(customer).sort(byTurn).at(-1);
    const put = upTo ?? newest;
    const before = this.done.get(customer);
    if (!put || (before && !isAfter(put, before))) return;
    this.done.set(customer, { turn: put.turn, id: put.id });
    this.snoozed.delete(customer);
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
