import { expect, test } from '@jest/globals';
import type { Communication } from '../api/types.ts';
import { daysOf, firstUnread, lastCome, marksOf, wordsOf } from './thread.ts';

let count = 0;
const record = (given: Partial<Communication> & { at: string }): Communication =>
  ({
    id: `R-${++count}`,
    type: 'MESSAGING_APP',
    direction: 'INBOUND',
    author: null,
    unread: false,
    filed_at: null,
    occurred_at: given.at,
    ...given,
  }) as Communication;

/** Bodies' ids by day and group, oldest first, of records given oldest first. */
const laidOut = (...records: Communication[]) =>
  daysOf(records.toReversed()).map(({ groups }) => groups.map((group) => group.records.map(({ id }) => id)));

test('one writer within five minutes is one group; another writer, channel or a longer pause begins the next', () => {
  const first = record({ at: '2026-03-02T10:00:00' });
  const soon = record({ at: '2026-03-02T10:04:00' });
  const late = record({ at: '2026-03-02T10:10:00' });
  const answer = record({ at: '2026-03-02T10:11:00', direction: 'OUTBOUND', author: 'agent-1' });
  const sms = record({ at: '2026-03-02T10:12:00', type: 'SMS' });
  expect(laidOut(first, soon, late, answer, sms)).toEqual([[[first.id, soon.id], [late.id], [answer.id], [sms.id]]]);
});

test('e-mails and calls stand alone, and each day has its own groups', () => {
  const mails = [0, 1].map((minute) => record({ at: `2026-03-02T23:5${minute}:00`, type: 'EMAIL' }));
  const next = record({ at: '2026-03-03T00:00:30', type: 'EMAIL' });
  expect(laidOut(...mails, next)).toEqual([mails.map(({ id }) => [id]), [[next.id]]]);
});

test('a day in which nothing changed is the same one, whatever comes before and after it', () => {
  const days = [2, 3, 4].map((day) => record({ at: `2026-03-0${day}T10:00:00` })) as [
    Communication,
    ...Communication[],
  ];
  const [first, second, third] = daysOf(days.toReversed());
  const older = record({ at: '2026-03-02T09:00:00' });
  const read = { ...days[2], unread: false } as Communication;
  const after = daysOf([read, days[1] as Communication, days[0], older], [first, second, third] as never);
  expect(after.map((day) => day === first || day === second || day === third)).toEqual([false, true, false]);
  expect(after.map(({ from }) => from)).toEqual([first, second, third].map((day) => day?.from));
});

test('what is new begins at the oldest unread one', () => {
  const [read, old, young] = [false, true, true].map((unread) => record({ at: '2026-03-02T10:00:00', unread }));
  expect(firstUnread([young, old, read] as Communication[])).toBe(old?.id);
  expect(firstUnread([read] as Communication[])).toBeUndefined();
});

test('what is seen goes up to the one that came last, even if it happened before others or was somebody else’s', () => {
  const at = (second: number) => `2026-03-02T10:00:0${second}.000000Z`;
  const answer = record({ at: at(1), created_at: at(1) });
  const late = record({ at: at(0), created_at: at(2) });
  expect(lastCome([answer, late])?.id).toBe(late.id);
  const linked = record({ at: at(0), created_at: at(0), filed_at: at(3) });
  expect(lastCome([answer, late, linked])?.id).toBe(linked.id);
  const twins = ['a', 'b'].map((id) => record({ id, at: at(1), created_at: at(1) }));
  expect(lastCome(twins.toReversed())?.id).toBe('b');
  expect(lastCome([])).toBeUndefined();
});

test('the newest words are shown, and what was said before can be read', () => {
  const occurred_at = '2026-03-02T10:00:00Z';
  const [changed, again] = [
    { at: '2026-03-02T10:01:00Z', body: 'On Tuesday' },
    { at: '2026-03-02T10:02:00Z', body: 'On Friday' },
  ];
  const first = { at: occurred_at, body: 'On Monday' };
  const of = (...amendments: Communication['amendments']) => wordsOf({ body: 'On Monday', occurred_at, amendments });
  expect(of()).toEqual({ newest: 'On Monday', changedAt: occurred_at, earlier: [], isWithdrawn: false });
  expect(of(changed, again)).toEqual({
    newest: 'On Friday',
    changedAt: again.at,
    earlier: [first, changed],
    isWithdrawn: false,
  });
  expect(of(changed, { at: again.at, body: null })).toEqual({
    newest: 'On Tuesday',
    changedAt: changed.at,
    earlier: [first],
    isWithdrawn: true,
  });
});

test('how a message came is said in a few words', () => {
  expect(marksOf({ imported: false, forwarded: false, group: null })).toEqual([]);
  expect(marksOf({ imported: true, forwarded: true, group: '120@g.us' })).toEqual([
    'From the history of the phone',
    'Written in a group',
    'Forwarded',
  ]);
});
