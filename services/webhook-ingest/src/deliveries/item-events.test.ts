import { expect, test } from '@jest/globals';
import { type KeptItem, notYetTaken } from './item-events.ts';

const item = (variant: string) => ({ kind: 'message', variant }) as KeptItem;

test('a mail that was read before is not read as another one; of a history the rest may still come', () => {
  expect(notYetTaken([item('sha256:2')], [item('sha256:1')])).toEqual([]);
  const rest = [item('history'), item('history:placeholder')];
  expect(notYetTaken(rest, [item('history')])).toEqual(rest);
});
