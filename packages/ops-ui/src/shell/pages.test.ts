import { expect, test } from '@jest/globals';
import { pages, pagesNamed } from './pages.ts';

const labels = (text: string, isAdmin = false) => pagesNamed(text, isAdmin).map(({ label }) => label);

test('a page is found by how any word of its name begins, also one that no line of the rail leads to', () => {
  expect(labels('UNCERT')).toEqual(['Failed and uncertain messages']);
  expect(labels('re')).toEqual(['Renewals', 'Replies']);
  expect(labels('alert p')).toEqual(['Alert plan']);
  expect(labels('plates')).toEqual([]);
  expect(labels('')).toEqual(pages.map(({ label }) => label));
});

test('what is for administrators is found by them alone', () => {
  expect(labels('dead')).toEqual([]);
  expect(labels('dead', true)).toEqual(['Dead letters']);
});
