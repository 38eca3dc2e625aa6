import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { events, liveEventTypes } from './events.ts';
import { communicationType, createCommunication, direction, isInternal } from './resources/communication.ts';
import { text } from './text.ts';

const pathsOf = (input: unknown) =>
  createCommunication.safeParse(input).error?.issues.map((issue) => issue.path.join('.')) ?? [];

test.each(communicationType.options.flatMap((type) => direction.options.map((to) => [type, to] as const)))(
  '%s %s is accepted only as the specification pairs them',
  (type, to) => {
    const paths = pathsOf({ type, direction: to, body: 'text', subject: type === 'CALL_LOG' ? 'call' : undefined });
    expect(paths).toEqual(isInternal(type) === (to === 'INTERNAL') ? [] : ['direction']);
  },
);

test('a subject is required on a call log, allowed on an e-mail, refused elsewhere', () => {
  expect(pathsOf({ type: 'CALL_LOG', direction: 'INTERNAL', body: 'text' })).toEqual(['subject']);
  expect(pathsOf({ type: 'EMAIL', direction: 'OUTBOUND', body: 'text', subject: 'Permit' })).toEqual([]);
  expect(pathsOf({ type: 'SMS', direction: 'OUTBOUND', body: 'text', subject: 'Permit' })).toEqual(['subject']);
});

test.each(communicationType.options.flatMap((type) => direction.options.map((to) => [type, to] as const)))(
  'a template goes with %s %s only if that leaves by the messaging app',
  (type, to) => {
    const template = { name: 'general_note', language: 'en' };
    const paths = pathsOf({ type, direction: to, body: 'text', template });
    expect(paths.includes('template')).toBe(type !== 'MESSAGING_APP' || to !== 'OUTBOUND');
    expect(pathsOf({ type, direction: to, body: 'text', template: null })).not.toContain('template');
  },
);

test.each([{ name: 'general_note' }, { name: '', language: 'en' }, { name: 'a', language: 'en', body: 'b' }, 'a:en'])(
  'a template is a name and a language, and nothing else: %j',
  (template) => {
    const [path] = pathsOf({ type: 'MESSAGING_APP', direction: 'OUTBOUND', body: 'text', template });
    expect(path).toMatch(/^template/);
  },
);

test('what was queued before a template could be chosen is still understood', () => {
  const { template, ...before } = events['communication.queued'].data.shape;
  expect(template.safeParse(undefined).success).toBe(true);
  expect(Object.keys(before)).toContain('window_open_until');
});

test('text with a NUL byte or a lone surrogate is refused wherever it stands; all other text passes', () => {
  const any = text(0, 10_000);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(any.safeParse(value).success).toBe(!value.includes('\u0000') && value.isWellFormed());
    }),
    { seed: 1 },
  );
  expect(any.safeParse('a\u0000b').success).toBe(false);
  expect(any.safeParse('\ud800').success).toBe(false);
});

test('what live screens hear of carries no message body', () => {
  for (const type of liveEventTypes) expect(Object.keys(events[type].data.shape)).not.toContain('body');
});
