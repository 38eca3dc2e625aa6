import { expect, test } from '@jest/globals';
import { standingOf, typedSince } from './draft.ts';

const saved = { label: 'Work permit' };
const typed = { label: 'Permit to work' };

test('without anything typed, what is saved stands', () => {
  expect(standingOf(null, saved, 3)).toEqual({ value: saved, basedOn: 3, isDirty: false, isStale: false });
});

test('what is typed stands over the version it was begun on, and is stale once there is another', () => {
  const kept = { value: typed, basedOn: 3 };
  expect(standingOf(kept, saved, 3)).toEqual({ value: typed, basedOn: 3, isDirty: true, isStale: false });
  expect(standingOf(kept, saved, 4)).toEqual({ value: typed, basedOn: 3, isDirty: true, isStale: true });
});

test('a change of something that the form does not show is none of it', () => {
  const kept = { value: typed, basedOn: 3, began: saved };
  expect(standingOf(kept, saved, 4)).toMatchObject({ value: typed, basedOn: 4, isDirty: true, isStale: false });
  expect(standingOf(kept, { label: 'Another' }, 4)).toMatchObject({ value: typed, basedOn: 3, isStale: true });
});

test('what was typed and is saved by now is no change, whoever saved it', () => {
  const kept = { value: { ...saved }, basedOn: 3 };
  expect(standingOf(kept, saved, 4)).toEqual({ value: saved, basedOn: 4, isDirty: false, isStale: false });
});

test('a field that the form did not have when it was kept is as it is saved', () => {
  const [now, old] = [
    { ...saved, months: 24 },
    { value: typed as typeof typed & { months: number }, basedOn: 3 },
  ];
  expect(standingOf(old, now, 3).value).toEqual({ ...typed, months: 24 });
});

test('what is typed while the rest is being saved is left to be saved, over what was saved', () => {
  const kept = { value: typed, basedOn: 3, began: { label: 'Permit' } };
  expect(typedSince(kept, typed, 4)).toBeNull();
  expect(typedSince(null, typed, 4)).toBeNull();
  const left = typedSince(kept, saved, 4);
  expect(standingOf(left, saved, 4)).toEqual({ value: typed, basedOn: 4, isDirty: true, isStale: false });
});
