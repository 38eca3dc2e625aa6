import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Pages, pagesToAsk, withFresh } from './pages-again.ts';

const size = 3;

/** As the service answers: after a position, in order. */
function ask(list: readonly number[], after: number | null) {
  const rest = list.filter((one) => after === null || one > after);
  const data = rest.slice(0, size).map((one) => ({ id: String(one) }));
  const last = rest[size - 1];
  return { data, next_cursor: rest.length > size && last !== undefined ? String(last) : null };
}

function wholeOf(list: readonly number[]): Pages {
  const found: Pages = { pages: [], pageParams: [] };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const after = cursor === undefined ? null : Number(cursor);
    const page = ask(list, after);
    found.pages.push(page);
    found.pageParams.push(after);
    cursor = page.next_cursor;
  }
  return found;
}

const shown = ({ pages }: Pages) => pages.flatMap(({ data }) => data.map(({ id }) => Number(id)));

/** The places further down: what is added there is found when all is fetched again. */
const places = fc.uniqueArray(fc.integer({ min: 100, max: 999 }), { minLength: 1, maxLength: 20 });
const added = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { maxLength: 5 });

test('what comes in at the front is there at once, what was taken away is not, and all else stays once and in order', () => {
  fc.assert(
    fc.property(places, added, fc.integer({ min: 0, max: 19 }), (there, fresh, at) => {
      const before = there.toSorted((a, b) => a - b);
      const gone = before[at % before.length] as number;
      const now = [...fresh, ...before].filter((one) => one !== gone).toSorted((a, b) => a - b);
      const changed = new Set([...fresh, gone].map(String));
      const list = wholeOf(before);
      const again = pagesToAsk(list, changed);
      const answers = new Map(again.map((n) => [n, ask(now, list.pageParams[n] as number | null)]));
      const after = shown(withFresh(list, answers, changed));
      expect(new Set(after).size).toBe(after.length);
      expect(after).not.toContain(gone);
      const newest = now.slice(0, size);
      expect(after.slice(0, newest.length)).toEqual(newest);
      expect(after).toEqual(expect.arrayContaining(before.filter((one) => one !== gone)));
    }),
  );
});

test('only the first page and those of what changed are asked for again', () => {
  const list = wholeOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(pagesToAsk(list, new Set(['8']))).toEqual([0, 2]);
  expect(pagesToAsk(list, new Set())).toEqual([0]);
});

test('where the last page has more to come is known from its newest answer', () => {
  const list = wholeOf([1, 2, 3, 4]);
  const after = withFresh(list, new Map([[1, ask([1, 2, 3, 4, 5, 6, 7], 3)]]), new Set(['4']));
  expect(shown(after)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(after.pages.at(-1)?.next_cursor).toBe('6');
});
