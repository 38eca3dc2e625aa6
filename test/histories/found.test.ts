import { expect, test } from '@jest/globals';
import type { History, Stretch } from './history.ts';
import { Life } from './life.ts';
import type { Office } from './office.ts';
import { endOf } from './promises.ts';

const quiet: Stretch = {
  days: 1,
  missed: false,
  lags: false,
  early: { kind: 'nothing' },
  late: { kind: 'nothing' },
  about: 0,
};

/** It works every day from ten on. */
const office: Office = { days: [0, 1, 2, 3, 4, 5, 6], from: 10, until: 24, holidays: [], quiet: null, ahead: 0 };

const found: [string, History][] = [
  [
    'a failure that is heard while it is held leaves the other message its 72 hours',
    {
      renewals: [{ ahead: 31, seed: null, policy: null }],
      office,
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
      renewals: [{ ahead: 58, seed: null, policy: null }],
      office,
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
  const ends = () => life.registers.map((register) => endOf(life, register));
  life.live(() => expect([life.today, ends()]).toEqual([life.today, expect.not.arrayContaining(['broken'])]));
});
