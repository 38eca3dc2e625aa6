import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import fc from 'fast-check';
import type { Heard } from '../../services/notifier/src/planning/heard.rules.ts';
import type { SeedAlerts } from '../../services/renewals-service/src/imports/import.rules.ts';
import { type Office, office } from './office.ts';

type Plain =
  | ('nothing' | 'answer' | 'takeBack' | 'start' | 'release' | 'complete' | 'cancel' | 'reopen')
  | (
      | 'remindersOff'
      | 'remindersOn'
      | 'closeTask'
      | 'sendAgain'
      | 'noContact'
      | 'contact'
      | 'becomeKnown'
      | 'sourceEnds'
    );

/** What people do to a renewal, its customer, its task or a message that failed; and what upstream says. */
export type Deed =
  | { kind: Plain }
  | { kind: 'acknowledge' | 'move'; days: number }
  | { kind: 'optOut' | 'optIn' | 'loseAddress' | 'giveAddress'; channel: OutsideType };

/** What is told of a message, hours after it left. */
type Fate = readonly { after: number; status: Heard['status'] }[];

export interface Person {
  known: boolean;
  phone: boolean;
  email: boolean;
  preferred: OutsideType | null;
  optedOut: OutsideType | null;
}

/** Some days on which nothing happens but nights, then one on which somebody does something before messages leave and after. */
export interface Stretch {
  days: number;
  /** Its nights have no refresh. */
  missed: boolean;
  /** On its last day what is told of changes comes only in the evening. */
  lags: boolean;
  early: Deed;
  late: Deed;
  /** Which of the renewals is meant, if one is. */
  about: number;
}

/** A date of the customer. */
export interface Watched {
  /** From the first day on. */
  ahead: number;
  /** How the date came in, if by a list of dates. */
  seed: SeedAlerts | null;
  /** Whether it is the date of a policy upstream, or of something else that names one. */
  policy: 'stands' | 'names' | null;
}

export interface History {
  renewals: readonly [Watched, ...Watched[]];
  person: Person;
  office: Office;
  stretches: readonly Stretch[];
  /** Of messages in the order they leave. */
  fates: readonly Fate[];
}

const channel = fc.constantFrom<OutsideType>('MESSAGING_APP', 'EMAIL', 'SMS');
const hours = fc.integer({ min: 1, max: 240 });
const simple = (...kinds: Plain[]) => fc.record({ kind: fc.constantFrom(...kinds) });

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 12, arbitrary: simple('nothing') },
  { weight: 4, arbitrary: simple('answer', 'release') },
  { weight: 3, arbitrary: simple('takeBack', 'start', 'closeTask', 'sendAgain', 'becomeKnown') },
  { weight: 2, arbitrary: simple('remindersOff', 'remindersOn', 'noContact', 'contact') },
  { weight: 1, arbitrary: simple('complete', 'cancel', 'reopen', 'reopen', 'sourceEnds') },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('acknowledge' as const),
      days: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 62 })),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move' as const), days: fc.integer({ min: -40, max: 60 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('optOut' as const, 'optIn' as const, 'loseAddress' as const, 'giveAddress' as const),
      channel,
    }),
  },
);

/** At once, or days later; in an order that nobody promised. */
const fate: fc.Arbitrary<Fate> = fc.oneof(
  fc.constant<Fate>([
    { after: 0, status: 'SENT' },
    { after: 1, status: 'DELIVERED' },
  ]),
  fc.constant<Fate>([
    { after: 1, status: 'DELIVERED' },
    { after: 2, status: 'SENT' },
  ]),
  { weight: 2, arbitrary: fc.constant<Fate>([{ after: 0, status: 'SENT' }]) },
  { weight: 2, arbitrary: fc.constant<Fate>([{ after: 0, status: 'FAILED' }]) },
  fc.constant<Fate>([{ after: 0, status: 'UNCERTAIN' }]),
  fc.tuple(fc.constantFrom('SENT' as const, 'FAILED' as const, 'UNCERTAIN' as const), hours, fc.boolean()).map(
    ([first, after, arrives]): Fate => [
      { after: 0, status: first },
      { after, status: arrives ? (first === 'UNCERTAIN' ? 'SENT' : 'DELIVERED') : 'FAILED' },
    ],
  ),
);

const stretch = fc.record({
  days: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 18 })),
  missed: fc.boolean(),
  lags: fc.boolean(),
  early: deed,
  late: deed,
  about: fc.nat(2),
});

const person = fc.record({
  known: fc.integer({ min: 0, max: 19 }).map((n) => n > 0),
  phone: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  email: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
  preferred: fc.option(channel, { freq: 3 }),
  optedOut: fc.option(channel, { freq: 1 }),
});

const watched: fc.Arbitrary<Watched> = fc.record({
  ahead: fc.integer({ min: -3, max: 120 }),
  seed: fc.option(fc.constantFrom<SeedAlerts>('silent', 'urgent-only'), { freq: 3 }),
  policy: fc.constantFrom('stands', 'names', null),
});

/** Often due together, so that one night alerts of them all. */
const several = fc
  .tuple(watched, fc.array(fc.tuple(watched, fc.constantFrom(0, 0, 30, 60, null)), { maxLength: 2 }))
  .map(([first, others]): [Watched, ...Watched[]] => [
    first,
    ...others.map(([one, apart]) => (apart === null ? one : { ...one, ahead: first.ahead + apart })),
  ]);

export const history: fc.Arbitrary<History> = fc.record({
  renewals: several,
  person,
  office,
  stretches: fc.array(stretch, { minLength: 3, maxLength: 14 }),
  fates: fc.array(fate, { minLength: 1, maxLength: 12 }),
});

/** Rungs of which the plan makes a task whatever becomes of messages. */
export const withTask: ReadonlySet<Rung> = new Set(['14', '7', 'OVERDUE']);
