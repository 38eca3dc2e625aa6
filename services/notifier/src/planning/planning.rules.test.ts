import { expect, test } from '@jest/globals';
import type { CustomerCard } from '@ops/contracts/internal-routes';
import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Rung } from '@ops/contracts/resources/renewal';
import fc from 'fast-check';
import { cardOf } from '../../test/alerts.ts';
import { type Followed, mootBecause, stopBecause } from '../followed/followed.rules.ts';
import { carrierOf, decideAlert } from './planning.rules.ts';

const renewal: Followed = {
  renewal_id: 'R-1',
  customer_id: 'C-1',
  written_under: null,
  due_date: '2026-03-31',
  status: 'UPCOMING',
  assigned_agent: null,
  reminders: 'on',
  hold: null,
  version: 1,
};
const order: OutsideType[] = ['MESSAGING_APP', 'EMAIL', 'SMS'];

interface Given {
  rung?: Rung;
  channels: OutsideType[];
  task?: 'HIGH' | null;
  fallThrough?: OutsideType[];
  card?: Partial<CustomerCard> | 'unknown';
  silent?: boolean;
  renewal?: Partial<Followed>;
}

const decide = ({ channels, task = null, fallThrough = order, card = {}, renewal: changed = {}, ...given }: Given) =>
  decideAlert({
    step: { channels, task },
    fallThrough,
    dueDate: '2026-03-31',
    rung: given.rung ?? '60',
    silent: given.silent ?? false,
    renewal: { ...renewal, ...changed },
    card: card === 'unknown' ? undefined : cardOf(card),
    today: '2026-03-01',
  });

/** `SMS for EMAIL`, `not EMAIL: opted_out`. */
const story = (given: Given): string[] =>
  decide(given).map(({ channel, outcome, instead_of, reason, priority }) => {
    const what = { planned: '', not_sent: 'not ', cancelled: 'stopped ' }[outcome] + channel;
    return `${what}${instead_of ? ` for ${instead_of}` : ''}${reason ? `: ${reason.code}` : ''}${priority ? ` ${priority}` : ''}`;
  });

const both: OutsideType[] = ['MESSAGING_APP', 'EMAIL'];
const app: OutsideType[] = ['MESSAGING_APP'];

test.each<[string, Given, string[]]>([
  ['all as planned', { channels: both }, ['MESSAGING_APP', 'EMAIL']],
  ['with a task', { channels: app, task: 'HIGH' }, ['MESSAGING_APP', 'TASK HIGH']],
  [
    'silent: no stand-in, and no task before two weeks, whatever the plan has',
    { channels: both, task: 'HIGH', silent: true, card: 'unknown' },
    ['not MESSAGING_APP: silent', 'not EMAIL: silent'],
  ],
  [
    'silent from two weeks on: the task of the plan',
    { channels: app, task: 'HIGH', silent: true, rung: '14', renewal: { reminders: 'off' } },
    ['not MESSAGING_APP: silent', 'TASK: silent HIGH'],
  ],
  ['silent, and no task in the plan', { channels: app, silent: true, rung: '7' }, ['not MESSAGING_APP: silent']],
  ['a user id is an address', { channels: app, card: { phones: [], user_ids: ['GB.1'] } }, ['MESSAGING_APP']],
  [
    'opted out: the next channel not used already',
    { channels: both, card: { opted_out: ['MESSAGING_APP'] } },
    ['not MESSAGING_APP: opted_out', 'SMS for MESSAGING_APP', 'EMAIL'],
  ],
  [
    'in the order of the plan',
    { channels: app, card: { opted_out: ['MESSAGING_APP'] } },
    ['not MESSAGING_APP: opted_out', 'EMAIL for MESSAGING_APP'],
  ],
  [
    'in another order of the plan',
    { channels: app, fallThrough: ['SMS', 'EMAIL'], card: { opted_out: ['MESSAGING_APP'] } },
    ['not MESSAGING_APP: opted_out', 'SMS for MESSAGING_APP'],
  ],
  [
    'past a channel without an address',
    { channels: app, card: { opted_out: ['MESSAGING_APP'], emails: [] } },
    ['not MESSAGING_APP: opted_out', 'not EMAIL for MESSAGING_APP: no_recipient', 'SMS for MESSAGING_APP'],
  ],
  [
    'the channel that stands in for one does not stand in for another',
    { channels: both, card: { opted_out: ['MESSAGING_APP'], emails: [] } },
    ['not MESSAGING_APP: opted_out', 'SMS for MESSAGING_APP', 'not EMAIL: no_recipient'],
  ],
  [
    'one channel reaches the customer: no task says otherwise',
    { channels: both, card: { phones: [] } },
    ['not MESSAGING_APP: no_recipient', 'not SMS for MESSAGING_APP: no_recipient', 'EMAIL'],
  ],
  [
    'none is left: a task says so',
    { channels: app, card: { phones: [], emails: [] } },
    [
      'not MESSAGING_APP: no_recipient',
      'not EMAIL for MESSAGING_APP: no_recipient',
      'not SMS for MESSAGING_APP: no_recipient',
      'TASK: nobody_written_to NORMAL',
    ],
  ],
  [
    'none to fall through to',
    { channels: app, fallThrough: [], card: { phones: [] } },
    ['not MESSAGING_APP: no_recipient', 'TASK: nobody_written_to NORMAL'],
  ],
  [
    'not to be contacted, by no channel at all',
    { channels: both, task: 'HIGH', card: { do_not_contact: true } },
    ['not MESSAGING_APP: do_not_contact', 'not EMAIL: do_not_contact', 'TASK: nobody_written_to HIGH'],
  ],
  [
    'reminders off',
    { channels: both, renewal: { reminders: 'off' } },
    ['not MESSAGING_APP: reminders_off', 'not EMAIL: reminders_off', 'TASK: nobody_written_to NORMAL'],
  ],
  [
    'an unknown customer',
    { channels: app, card: 'unknown' },
    ['not MESSAGING_APP: unknown_customer', 'TASK: nobody_written_to NORMAL'],
  ],
  [
    'none is left at 30: the task that says so is urgent enough',
    { rung: '30', channels: app, fallThrough: [], card: { phones: [] } },
    ['not MESSAGING_APP: no_recipient', 'TASK: nobody_written_to HIGH'],
  ],
  ['preferred: in place of the first', { channels: both, card: { preferred_channel: 'SMS' } }, ['SMS', 'EMAIL']],
  ['preferred, and planned already: one message', { channels: both, card: { preferred_channel: 'EMAIL' } }, ['EMAIL']],
  [
    'preferred, and of no use: as planned',
    { channels: app, card: { preferred_channel: 'SMS', opted_out: ['SMS'] } },
    ['MESSAGING_APP'],
  ],
  ['planned twice: one message', { channels: ['EMAIL', 'EMAIL'] }, ['EMAIL']],
  ['a plan without messages reaches nobody on purpose', { channels: [] }, []],
  [
    'completed meanwhile: its task is closed as it is made',
    { channels: both, task: 'HIGH', renewal: { status: 'COMPLETED' } },
    ['stopped MESSAGING_APP: renewal_completed', 'stopped EMAIL: renewal_completed', 'TASK HIGH'],
  ],
  [
    'cancelled meanwhile',
    { channels: app, renewal: { status: 'CANCELLED' } },
    ['stopped MESSAGING_APP: renewal_cancelled'],
  ],
  [
    'due on another day',
    { channels: app, task: 'HIGH', renewal: { due_date: '2027-01-01' } },
    ['stopped MESSAGING_APP: due_date_changed', 'TASK HIGH'],
  ],
])('%s', (_, given, expected) => {
  expect(story(given)).toEqual(expected);
});

const channels = fc.uniqueArray(fc.constantFrom(...order));
const anyCard = fc.record({
  phones: fc.constantFrom<string[]>([], ['+447700900123']),
  emails: fc.constantFrom<string[]>([], ['ada@example.com']),
  opted_out: channels,
  do_not_contact: fc.boolean(),
});

test('whatever the plan and the customer: each channel once, and either a message or somebody who knows', () => {
  fc.assert(
    fc.property(channels, channels, anyCard, fc.boolean(), (planned, fallThrough, card, known) => {
      const decisions = decide({ channels: planned, fallThrough, card: known ? card : 'unknown' });
      const named = decisions.map(({ channel }) => channel);
      expect(new Set(named).size).toBe(named.length);
      expect(named).toEqual(expect.arrayContaining(planned));
      const sent = decisions.filter(({ channel, outcome }) => channel !== 'TASK' && outcome === 'planned');
      for (const { channel } of sent) expect(card.opted_out).not.toContain(channel);
      if (planned.length > 0) expect(sent.length > 0).toBe(!named.includes('TASK'));
      for (const { outcome, reason } of decisions) if (outcome === 'not_sent') expect(reason).not.toBeNull();
    }),
  );
});

test('muting stops messages, and nothing else', () => {
  const muted = { ...renewal, reminders: 'off' as const };
  expect(stopBecause(muted, '2026-03-31')?.code).toBe('reminders_off');
  expect(mootBecause(muted, '2026-03-31')).toBeNull();
  expect(stopBecause(renewal, '2026-03-31')).toBeNull();
});

test.each([
  ['MESSAGING_APP', null, 'messaging'],
  ['SMS', null, 'messaging'],
  ['EMAIL', null, 'email'],
  ['SMS', 'EMAIL', 'email'],
  ['EMAIL', 'MESSAGING_APP', 'messaging'],
  ['TASK', null, 'task'],
] as const)('%s instead of %s is done by the queue for %s', (channel, instead_of, carrier) => {
  expect(carrierOf({ channel, instead_of })).toBe(carrier);
});
