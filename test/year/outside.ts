import type { Envelope } from '@ops/contracts/envelope';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { uuidv7 } from '@ops/test-kit/builders';
import type { Random } from '@ops/test-kit/random';
import type { Outcome, OutgoingMessage, Sender } from '../../services/notifier/src/senders/sender.ts';
import { providerOf } from '../../services/notifier/src/sending/send-service.ts';
import { receiptOf, receivedEvent } from '../../services/notifier/test/desk.ts';
import type { Left } from '../histories/life.ts';
import type { Clock } from './clock.ts';

/** What an address does with what is sent to it. */
type Manner = 'takes' | 'refuses' | 'fails' | 'says nothing' | 'lets nobody know' | 'is busy';

const manners: readonly Manner[] = [
  ...Array<Manner>(11).fill('takes'),
  ...Array<Manner>(3).fill('refuses'),
  ...Array<Manner>(3).fill('fails'),
  'says nothing',
  'lets nobody know',
  'is busy',
];

/** What a message is about at the moment it leaves. */
interface About {
  /** The most urgent first. */
  named: string[];
  isHeld: boolean;
  isOver: boolean;
  /** It leaves on a day, or at an hour, on which it is to wait. */
  isUntimely: boolean;
}

/** A message that was taken, or may have been. */
export interface Sent extends Left, About {
  external_id: string;
  to: string;
}

interface News {
  at: Date;
  sent: Sent;
  status: 'DELIVERED' | 'FAILED';
}

const hourMs = 3_600_000;

/** The providers, and the phones and mailboxes behind them. */
export interface Outside {
  senders: Record<OutsideType, Sender>;
  /** Also what was on the wire when its sender died. */
  sent: Sent[];
  figures: { refused: number; failedLater: number; uncertain: number; diedOnTheWire: number };
  /** Resolves when a sender dies the next time. */
  nextDeath(): Promise<void>;
  /** What providers tell by now. */
  receipts(): Envelope[];
  /** Of now on, addresses may do otherwise. */
  change(): void;
}

interface Circumstances {
  clock: Clock;
  random: Random;
  /** Whether whoever sends at this moment dies of it. */
  dies(): boolean;
  namedIn(communicationId: string): Promise<About>;
}

export function outsideAt({ clock, random, dies, namedIn }: Circumstances): Outside {
  const mannerOf = new Map<string, Manner>();
  const news: News[] = [];
  const sent: Sent[] = [];
  let death = Promise.withResolvers<void>();
  const figures = { refused: 0, failedLater: 0, uncertain: 0, diedOnTheWire: 0 };

  async function note(
    channel: OutsideType,
    { communication_id: record, to }: OutgoingMessage,
    attemptId: string,
  ): Promise<Sent> {
    const about = { record, attempt: 1, channel, at: clock.now(), ...(await namedIn(record)) };
    const one = { ...about, told: [], external_id: `P-${attemptId}`, to: to ?? '' };
    sent.push(one);
    return one;
  }

  function hear(one: Sent, status: Sent['told'][number]['status']): void {
    one.told.push({ at: clock.now(), status });
  }

  async function send(channel: OutsideType, message: OutgoingMessage, attemptId: string): Promise<Outcome> {
    const of = `${channel} ${message.to}`;
    const manner = mannerOf.get(of) ?? random.pick(manners);
    mannerOf.set(of, manner);
    if (manner === 'is busy' && random.below(2) === 0) return { kind: 'not_taken', reason: 'busy' };
    if (manner === 'refuses') {
      figures.refused += 1;
      return { kind: 'refused', code: 'unknown', message: 'No such address' };
    }
    const one = await note(channel, message, attemptId);
    if (dies()) {
      figures.diedOnTheWire += 1;
      death.resolve();
      death = Promise.withResolvers();
      hear(one, 'UNCERTAIN');
      return new Promise(() => {});
    }
    if (manner === 'lets nobody know') {
      figures.uncertain += 1;
      hear(one, 'UNCERTAIN');
      return { kind: 'uncertain', reason: 'cut off' };
    }
    hear(one, 'SENT');
    const after = (hours: number) => new Date(clock.now().getTime() + hours * hourMs);
    if (manner === 'fails') news.push({ at: after(1 + random.below(240)), sent: one, status: 'FAILED' });
    if (manner === 'takes' || manner === 'is busy') news.push({ at: after(1), sent: one, status: 'DELIVERED' });
    return { kind: 'accepted', providerMessageId: one.external_id };
  }

  function receiptFor({ sent: one, status, at }: News): Envelope {
    hear(one, status);
    if (status === 'FAILED') figures.failedLater += 1;
    const failure = status === 'FAILED' ? { code: 'undeliverable', message: 'It could not be delivered' } : null;
    const { external_id, channel } = one;
    const times = { occurred_at: at.toISOString(), received_at: clock.now().toISOString() };
    return receivedEvent(
      receiptOf({ provider: providerOf[channel], external_id, status, failure, item_id: uuidv7(), ...times }),
    );
  }

  const senderOf = (channel: OutsideType): Sender => ({
    provider: providerOf[channel],
    send: (message, attemptId) => send(channel, message, attemptId),
  });
  return {
    senders: { MESSAGING_APP: senderOf('MESSAGING_APP'), EMAIL: senderOf('EMAIL'), SMS: senderOf('SMS') },
    sent,
    figures,
    nextDeath: () => death.promise,
    receipts() {
      const now = clock.now();
      const due = news.filter(({ at }) => at <= now);
      const later = news.filter(({ at }) => at > now);
      news.splice(0, news.length, ...later);
      return due.map(receiptFor);
    },
    change: () => mannerOf.delete(random.pick([...mannerOf.keys(), ''])),
  };
}
