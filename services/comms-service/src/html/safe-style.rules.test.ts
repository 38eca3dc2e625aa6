import { expect, test } from '@jest/globals';
import { safeStyle } from './safe-style.rules.ts';

test.each([
  ['COLOR : Red ;font-size:12px', 'color: Red; font-size: 12px'],
  ['font-family:"Segoe UI", Arial; color:rgb(1, 2, 3)', 'font-family: "Segoe UI", Arial; color: rgb(1, 2, 3)'],
  ['background:url(https://example.com/a.png);color:red', 'color: red'],
  ['position:fixed;top:0;color:red', 'color: red'],
  ['color:r\\65 d;width:calc(1px)', ''],
  // A browser would take the rest of the attribute for the name of a font.
  ["font-family:'x;color:red", 'color: red'],
  [`color:${'a'.repeat(301)}`, ''],
  ['color', ''],
  ['', ''],
])('of %j, %j stays', (style, safe) => {
  expect(safeStyle(style)).toBe(safe);
});
