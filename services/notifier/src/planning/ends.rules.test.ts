import { expect, test } from '@jest/globals';
import type { OutsideType } from '@ops/contracts/resources/communication';
import fc from 'fast-check';
import { cardOf, triggered } from '../../test/alerts.ts';
import type { Followed } from '../followed/followed.rules.ts';
import { type Action, newAction, noted, notYet, replaced } from './alert-actions.rules.ts';
import { decideEnd, lacksEnd, saysUnreached } from './ends.rules.ts';
import { type Heard, stronger } from './heard.rules.ts';
import { decideAlert, isMessage } from './planning.rules.ts';

const alert = { ...triggered({ rung: '30' }), step: '0', does: null };
const renewal: Followed = { ...alert, written_under: null, status: 'UPCOMING' };
const sentAt = new Date('2026-03-01T10:00:00.000Z');
const muchLater = new Date('2026-03-06T10:00:00.000Z');

const channels = fc.uniqueArray(fc.constantFrom<OutsideType>('MESSAGING_APP', 'EMAIL', 'SMS'), { minLength: 1 });
const anyCard = fc.record({
  phones: fc.constantFrom<string[]>([], ['+447700900123']),
  emails: fc.constantFrom<string[]>([], ['ada@example.com']),
  opted_out: channels,
  preferred_channel: fc.constantFrom<OutsideType | null>(null, 'SMS', 'EMAIL'),
});
const anyPlan = fc.record({ planned: channels, fallThrough: channels, card: anyCard });
type Plan = typeof anyPlan extends fc.Arbitrary<infer T> ? T : never;

/** What is told of a channel's message, if there comes to be one. */
const newsOf = (attempts: number[]) =>
  fc.array(
    fc.record({
      channel: fc.constantFrom<OutsideType>('MESSAGING_APP', 'EMAIL', 'SMS'),
      status: fc.constantFrom<Heard['status']>('UNCERTAIN', 'SENT', 'FAILED', 'DELIVERED', 'READ'),
      attempt: fc.constantFrom(...attempts),
    }),
    { maxLength: 12 },
  );
const anyNews = newsOf([1, 1, 2]);
type News = typeof anyNews extends fc.Arbitrary<infer T> ? T : never;

const planned = ({ planned: channels, fallThrough, card }: Plan): Action[] =>
  decideAlert({
    rung: '30',
    step: { channels, task: null },
    fallThrough,
    renewal,
    dueDate: alert.due_date,
    today: '2026-03-01',
    silent: false,
    card: cardOf(card),
  }).map((decision, n) => newAction(`A-${n}`, decision, alert));

/** Does what the alert's messages ask for, as it is kept. */
function settled(actions: Action[], { planned: channels, fallThrough, card }: Plan, now: Date): Action[] {
  const about = { rung: '30' as const, step: { channels, task: null }, fallThrough, renewal, card: cardOf(card) };
  const { givenUp, decisions } = decideEnd(actions, about, now);
  const before = replaced(
    actions,
    givenUp.map((one) => ({ ...one, given_up_at: now })),
  );
  const open = before.some(saysUnreached) ? decisions.filter(isMessage) : decisions;
  const added = notYet(before, open).map((one, n) => newAction(`A-${before.length + n}`, one, alert));
  return [...noted(before, open), ...added];
}

/** News of a message that there is not yet comes when there is one, however late; in the end nothing more is heard. */
function lived(plan: Plan, news: News): Action[] {
  const waiting = [...news];
  let actions = told(planned(plan), plan, waiting, sentAt);
  actions = told(actions, plan, waiting, muchLater);
  return told(actions, plan, waiting, muchLater);
}

/** All that can be told by then. Takes it from what waits. */
function told(before: Action[], plan: Plan, waiting: News, now: Date): Action[] {
  let actions = settled(before, plan, now);
  for (;;) {
    const next = waiting.findIndex(({ channel }) => isUnderWay(actions, channel));
    const [news] = next < 0 ? [] : waiting.splice(next, 1);
    if (!news) return actions;
    const { channel, status, attempt } = news;
    const heard: Heard = { status, attempt, at: sentAt.toISOString(), failure: null };
    const learnt = actions.map((one) =>
      one.channel === channel ? { ...one, heard: stronger(one.heard, heard) } : one,
    );
    actions = settled(learnt, plan, now);
    expect(lacksEnd(actions, now)).toBe(false);
  }
}

const isUnderWay = (actions: readonly Action[], channel: OutsideType) =>
  actions.some((one) => one.channel === channel && one.outcome === 'planned');

const arrived = ({ channel, heard }: Action): boolean =>
  heard?.status === 'DELIVERED' ||
  heard?.status === 'READ' ||
  (heard?.status === 'SENT' && channel !== 'MESSAGING_APP');
const silent = ({ outcome, heard }: Action): boolean => outcome === 'planned' && heard === null;

/** The first that is true. */
function endOf(actions: readonly Action[]): 'reached' | 'under way' | 'task' | 'nothing' {
  if (actions.some(arrived)) return 'reached';
  if (actions.filter(isMessage).some(silent)) return 'under way';
  return actions.some(saysUnreached) ? 'task' : 'nothing';
}

test('whatever becomes of its messages, an alert reaches the customer, has one under way, or is a task; each channel once', () => {
  fc.assert(
    fc.property(anyPlan, anyNews, (plan, news) => {
      const actions = lived(plan, news);
      expect(endOf(actions)).not.toBe('nothing');
      const used = actions.map(({ channel }) => channel);
      expect(new Set(used).size).toBe(used.length);
      for (const { channel, outcome } of actions)
        if (outcome === 'planned') expect(plan.card.opted_out).not.toContain(channel);
    }),
    { numRuns: 1_000 },
  );
});

/** With two, a failure heard after the next attempt is none any more, and leads to no other channel: an end too, but another. */
test('in whatever order and however often one attempt is told of, the end is the same', () => {
  const shuffled = newsOf([1]).chain((news) =>
    fc.tuple(fc.constant(news), fc.shuffledSubarray([...news, ...news], { minLength: 2 * news.length })),
  );
  fc.assert(
    fc.property(anyPlan, shuffled, (plan, [news, again]) => {
      expect(endOf(lived(plan, again))).toBe(endOf(lived(plan, news)));
    }),
    { numRuns: 1_000 },
  );
});

test('a task that says something else does not say that nobody was reached', () => {
  const says = (code: string) =>
    saysUnreached({ channel: 'TASK', outcome: 'planned', reason: { code, message: 'Something' } });
  expect(['nobody_reached', 'nobody_written_to', 'silent'].map(says)).toEqual([true, true, false]);
});

test('what is withheld on purpose, and for now, is no failure', () => {
  for (const code of ['held', 'silent']) {
    const reason = { code, message: 'Not now' };
    const withheld = planned({ planned: ['EMAIL'], fallThrough: ['SMS'], card: cardOf() }).map(
      (one): Action => ({ ...one, outcome: 'not_sent', reason }),
    );
    const about = { rung: '30' as const, step: { channels: [], task: null }, fallThrough: [], renewal, card: cardOf() };
    expect(decideEnd(withheld, about, sentAt)).toEqual({ givenUp: [], decisions: [] });
    expect(lacksEnd(withheld, sentAt)).toBe(false);
  }
});
