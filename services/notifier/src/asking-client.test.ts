import { expect, test } from '@jest/globals';
import { InternalCallError } from '@ops/service-kit/internal-client';
import { askTogether } from './asking-client.ts';

function asking(several: (given: readonly string[]) => Promise<(string | null)[]>) {
  const asked: string[] = [];
  const ask = askTogether({
    one: async (given: string) => {
      asked.push(given);
      return given.toUpperCase();
    },
    several: (given) => {
      asked.push(given.join('+'));
      return several(given);
    },
  });
  return { asked, all: (...given: string[]) => Promise.allSettled(given.map(ask)) };
}

const fulfilled = (...values: string[]) => values.map((value) => ({ status: 'fulfilled', value }));

test('what is asked at the same moment goes over in one call; one alone as ever', async () => {
  const { asked, all } = asking(async (given) => given.map((one) => one.toUpperCase()));
  expect(await all('a', 'b')).toEqual(fulfilled('A', 'B'));
  expect(await all('c')).toEqual(fulfilled('C'));
  expect(asked).toEqual(['a+b', 'c']);
});

test('of what there is no answer to it cannot be said, and the others do not wait for it', async () => {
  const { asked, all } = asking(async () => ['A', null]);
  expect(await all('a', 'b')).toEqual([
    ...fulfilled('A'),
    { status: 'rejected', reason: expect.objectContaining({ away: false }) },
  ]);
  expect(asked).toEqual(['a+b']);
});

test('one that makes the whole call fail costs the others nothing', async () => {
  const { all } = asking(() => Promise.reject(new InternalCallError('a bug', 500)));
  expect(await all('a', 'b')).toEqual(fulfilled('A', 'B'));
});

test('the version before of whom is asked, which knows no such call, is asked one by one', async () => {
  const { asked, all } = asking(() => Promise.reject(new InternalCallError('not here', 404)));
  expect(await all('a', 'b')).toEqual(fulfilled('A', 'B'));
  expect(asked).toEqual(['a+b', 'a', 'b']);
});

test('whoever is away is away for all', async () => {
  const away = new InternalCallError('away');
  const { asked, all } = asking(() => Promise.reject(away));
  expect(await all('a', 'b')).toEqual([1, 2].map(() => ({ status: 'rejected', reason: away })));
  expect(asked).toEqual(['a+b']);
});
