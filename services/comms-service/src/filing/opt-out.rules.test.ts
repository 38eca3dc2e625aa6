import { expect, test } from '@jest/globals';
import { decisionOf, optOutOf } from './opt-out.rules.ts';

const said = (body: string, rest = {}) => optOutOf({ type: 'SMS' as const, subject: null, body, ...rest });

test.each([
  'STOP',
  'stop',
  ' Stop.\n',
  'StopAll',
  'stop  all',
  'UNSUBSCRIBE!',
  'end',
  'quit',
  'Cancel',
  'arrêt',
  'Arre\u0302t',
  'BAJA',
])('"%s" opts out', (body) => expect(said(body)).toBe(true));

test.each(['START', 'unstop', ' Start! '])('"%s" opts in', (body) => expect(said(body)).toBe(false));

test.each(['Please stop by', 'stop it', 'STOP START', 'yes', 'YES', '', '.', 'I quit my job', 'Wann ist das Ende?'])(
  '"%s" is a message like any other',
  (body) => expect(said(body)).toBeNull(),
);

test('an e-mail without a text is its subject; another one is its text', () => {
  expect(said('', { type: 'EMAIL', subject: 'Unsubscribe' })).toBe(true);
  expect(said('Thank you', { type: 'EMAIL', subject: 'Unsubscribe' })).toBeNull();
  expect(said('', { type: 'SMS', subject: 'Unsubscribe' })).toBeNull();
});

const sender = { phone: '+5511987654321', email: null, user_id: 'BR.1' };
const told = (change: object, opted_out: boolean | null = null) =>
  decisionOf({
    id: 'r',
    customer_id: null,
    type: 'MESSAGING_APP' as const,
    subject: null,
    body: 'STOP',
    automatic: false,
    occurred_at: '2026-03-01T12:00:00Z',
    told: { opted_out, sender },
    ...change,
  });

test('a decision is kept for each address of its sender on that channel, in every way of writing it', () => {
  const addresses = (change: object) => told(change).map(({ address }) => address);
  expect(addresses({})).toEqual(['phone:+551187654321', 'phone:+5511987654321', 'user_id:BR.1']);
  expect(addresses({ type: 'SMS' })).toEqual(['phone:+551187654321', 'phone:+5511987654321']);
  expect(addresses({ type: 'EMAIL' })).toEqual(['']);
  expect(addresses({ told: undefined })).toEqual(['']);
});

test('what the provider says counts before the words; what a machine wrote decides nothing', () => {
  expect(told({})[0]).toMatchObject({ opted_out: true, source: 'words' });
  expect(told({}, false)[0]).toMatchObject({ opted_out: false, source: 'provider' });
  expect(told({ body: 'Enough' }, true)[0]).toMatchObject({ opted_out: true, source: 'provider' });
  expect(told({ body: 'Enough' })).toEqual([]);
  expect(told({ automatic: true }, true)).toEqual([]);
});
