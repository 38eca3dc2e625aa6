import { expect, test } from '@jest/globals';
import { optOutOf } from './opt-out.rules.ts';

const said = (body: string, rest = {}) =>
  optOutOf({ type: 'SMS' as const, subject: null, body, automatic: false, ...rest });

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

test('what a machine answered decides nothing', () => expect(said('STOP', { automatic: true })).toBeNull());
