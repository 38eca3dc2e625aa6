import { expect, test } from '@jest/globals';
import { leastZoom, mostZoom, zoomedBy } from './zoom.ts';

test('a picture grows and shrinks by the same steps, within its bounds, and 0 shows all of it', () => {
  const grown = zoomedBy('+', leastZoom) as number;
  expect(grown).toBeGreaterThan(leastZoom);
  expect(zoomedBy('=', leastZoom)).toBe(grown);
  expect(zoomedBy('-', grown)).toBe(leastZoom);
  expect(zoomedBy('-', leastZoom)).toBe(leastZoom);
  expect(zoomedBy('+', mostZoom)).toBe(mostZoom);
  expect(zoomedBy('0', mostZoom)).toBe(leastZoom);
});

test('any other key is none of its own', () => {
  expect(['1', 'ArrowRight', 'a', 'Escape'].map((key) => zoomedBy(key, 2))).toEqual(Array(4).fill(undefined));
});
