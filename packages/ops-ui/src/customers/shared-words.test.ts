import { expect, test } from '@jest/globals';
import { mapsOf, webAddress } from './shared-words.ts';

const nowhere = { name: null, address: null, latitude: null, longitude: null };

test('a place is looked for by its point, else by its name', () => {
  expect(mapsOf({ ...nowhere, name: 'Office', latitude: 51.5, longitude: -0.1 })).toEqual({
    map: 'https://www.openstreetmap.org/?mlat=51.5&mlon=-0.1#map=17/51.5/-0.1',
    app: 'geo:51.5,-0.1?q=51.5,-0.1',
  });
  expect(mapsOf({ ...nowhere, latitude: 0, longitude: 0 })?.app).toBe('geo:0,0?q=0,0');
  expect(mapsOf({ ...nowhere, name: 'Office & Co', address: '1 High St' })).toEqual({
    map: 'https://www.openstreetmap.org/search?query=Office%20%26%20Co%2C%201%20High%20St',
    app: 'geo:0,0?q=Office%20%26%20Co%2C%201%20High%20St',
  });
  expect(mapsOf(nowhere)).toBeNull();
});

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  ['example.com', 'https://example.com/'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['not an address', null],
])('%s leads to %s', (given, expected) => {
  expect(webAddress(given)).toBe(expected);
});
