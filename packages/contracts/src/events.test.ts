import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { events, messageTypeInText } from './events.ts';
import { outsideType } from './resources/communication.ts';

const carriers = Object.entries(events).filter(([, { data }]) => 'body' in data.shape);

test('an alert of the version before, which knows none that are silent, is none', () => {
  expect(events.RENEWAL_TRIGGERED.data.shape.silent.parse(undefined)).toBe(false);
});

test('some events carry the words of a message', () => {
  expect(carriers.map(([type]) => type)).toContain('provider.message.received');
});

test.each(carriers)('%s says of which type its message is, where it is looked for', (type, { data }) => {
  const shape: Record<string, z.ZodType> = data.shape;
  const fields = ['type', 'channel'].filter((name) => shape[name] === outsideType);
  for (const said of outsideType.options) {
    const text = JSON.stringify({ type, data: Object.fromEntries(fields.map((name) => [name, said])) });
    expect(new RegExp(messageTypeInText).exec(text)?.[1]).toBe(said);
  }
});
