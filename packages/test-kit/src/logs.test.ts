import { expect, test } from '@jest/globals';
import { canary, leaksIn } from './logs.ts';

test.each([
  ['a token', '{"token":"eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl"}'],
  ['a token', 'sealed eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..aXYtaXYtaXYtaXY.Y2lwaGVydGV4dA.dGFn'],
  ['a session cookie', 'set-cookie: ops_session=abcdefghijklmnopqrstuvwxyz; HttpOnly'],
  ['an Authorization header', 'authorization: Bearer abcdefghijklmnopqrstuvwxyz'],
  ['the text of a message', `inserted ${canary()}`],
])('finds %s', (what, line) => {
  expect(leaksIn('a.log', `fine\n${line}`)).toEqual([`a.log contains ${what}: ${line}`]);
});

test('finds nothing where secrets are blanked', () => {
  expect(
    leaksIn('a.log', '{"authorization":"[redacted]","session":"[redacted]"}\ncookie: ops_session=[redacted]'),
  ).toEqual([]);
});
