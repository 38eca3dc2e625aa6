import { expect, test } from '@jest/globals';
import { readPackages } from './packages.ts';

test('no packages need each other in a circle, not even for their suites', async () => {
  const needs = new Map((await readPackages()).map(({ name, runs, suites }) => [name, [...runs, ...suites]]));
  const free = () => [...needs].find(([, needed]) => !needed.some((name) => needs.has(name)))?.[0];
  for (let name = free(); name; name = free()) needs.delete(name);
  expect(Object.fromEntries(needs)).toEqual({});
});
