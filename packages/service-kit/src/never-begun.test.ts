import { connect } from 'node:net';
import { expect, test } from '@jest/globals';
import { reachedNobody } from './never-begun.ts';

const failure = (syscall: string) => Object.assign(new Error('no way there'), { code: 'EHOSTUNREACH', syscall });

test('a host that is out of reach was not asked while it was connected to, and may have been by a connection that was made', () => {
  expect(reachedNobody(failure('connect'))).toBe(true);
  expect(reachedNobody(new AggregateError([failure('connect'), failure('connect')]))).toBe(true);
  for (const syscall of ['read', 'write']) expect(reachedNobody(failure(syscall))).toBe(false);
});

test.each([
  ['a port nobody listens on', '127.0.0.1'],
  ['a name nobody has', 'nobody.invalid'],
])('%s was not reached, as it is told of', async (_, host) => {
  const error = await new Promise((failed) => connect({ host, port: 2 }).once('error', failed));
  expect(reachedNobody(error)).toBe(true);
});

test('nor was it through fetch', async () => {
  const error = await fetch('http://127.0.0.1:2').catch(({ cause }) => cause);
  expect(reachedNobody(error)).toBe(true);
});
