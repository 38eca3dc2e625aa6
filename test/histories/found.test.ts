import { expect, test } from '@jest/globals';
import type { History, Stretch } from './history.ts';
import { Life } from './life.ts';
import { endOf } from './promises.ts';

const quiet: Stretch = {
  days: 1,
  missed: false,
  lags: false,
  early: { kind: 'nothing' },
  late: { kind: 'nothing' },
};

const found: [string, History][] = [
  [
    'a failure that is heard while it is held leaves the other message its 72 hours',
    {
      ahead: 31,
      seed: null,
      person: { known: true, phone: true, email: true, preferred: null, optedOut: 'SMS' },
      stretches: [
        { ...quiet, late: { kind: 'acknowledge', days: 2 } },
        { ...quiet, days: 8 },
      ],
      fates: [
        [{ after: 0, status: 'SENT' }],
        [
          { after: 0, status: 'SENT' },
          { after: 20, status: 'FAILED' },
        ],
      ],
    },
  ],
  [
    'a date that is put right after another one took its task along has that task again',
    {
      ahead: 58,
      seed: null,
      person: { known: false, phone: true, email: true, preferred: null, optedOut: null },
      stretches: [
        { ...quiet, late: { kind: 'move', days: -30 } },
        { ...quiet, days: 2, late: { kind: 'move', days: 30 } },
        quiet,
      ],
      fates: [[{ after: 0, status: 'SENT' }]],
    },
  ],
];

test.each(found)('nobody falls through: %s', (_, history) => {
  const life = new Life(history);
  life.live(() => expect([life.today, endOf(life)]).not.toEqual([life.today, 'broken']));
});
