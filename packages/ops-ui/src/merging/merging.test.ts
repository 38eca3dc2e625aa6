import { expect, test } from '@jest/globals';
import { alikeBefore, becauseInWords, becomes, factsOf, hasAddress, usualPair } from './merging.ts';

const nobody = {
  name: 'Ann',
  assigned_agent: null,
  preferred_channel: null,
  locale: null,
  time_zone: null,
  do_not_contact: false,
};

test('what two have in common is said one after the other', () => {
  const because = [
    { kind: 'phone', value: '+447700900123' },
    { kind: 'email', value: 'ann@example.com' },
    { kind: 'user_id', value: 'u-1' },
    { kind: 'name', value: 'Ann' },
  ] as const;
  expect(becauseInWords(because)).toBe(
    'same number +447700900123, same address ann@example.com, same account at the messaging app, same name',
  );
});

test('who was entered first stays unless somebody says otherwise', () => {
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
  const [one, other] = [
    { id: 'C-1', created_at: late },
    { id: 'C-2', created_at: early },
  ];
  expect(usualPair(one, other)).toEqual({ stays: 'C-2', goes: 'C-1' });
  expect(usualPair(other, one)).toEqual({ stays: 'C-2', goes: 'C-1' });
});

test.each([
  ['name', { name: 'Ann' }, { name: 'Ann' }, [null, null]],
  ['name', { name: 'Ann' }, { name: 'Anne' }, ['stays', 'gives way']],
  ['locale', { locale: null }, { locale: 'de' }, ['is filled', 'fills the gap']],
  ['locale', { locale: 'de' }, { locale: null }, ['stays', null]],
  ['do_not_contact', { do_not_contact: false }, { do_not_contact: true }, [null, 'counts for both']],
  ['do_not_contact', { do_not_contact: true }, { do_not_contact: false }, ['counts for both', null]],
] as const)('of %s of %j and %j it is said: %j', (fact, stays, goes, said) => {
  expect(becomes(fact, { ...nobody, ...stays }, { ...nobody, ...goes })).toEqual(said);
});

test('facts that neither has are not compared', () => {
  expect(factsOf(nobody, { ...nobody, locale: 'de' })).toEqual(['name', 'locale']);
  expect(factsOf({ ...nobody, do_not_contact: true }, nobody)).toEqual(['name', 'do_not_contact']);
});

test('a number is not an address that reads the same', () => {
  const one = { identifiers: [{ kind: 'phone', value: '+447700900123' } as const] };
  expect(hasAddress(one, { kind: 'phone', value: '+447700900123' })).toBe(true);
  expect(hasAddress(one, { kind: 'user_id', value: '+447700900123' })).toBe(false);
});

test('of those who may have written, the ones with the same number or name may be one', () => {
  const who = (customer_id: string, because: string) => ({ customer_id, because });
  const all = [
    who('C-1', 'identifier'),
    who('C-2', 'identifier'),
    who('C-3', 'reply'),
    who('C-4', 'reply'),
    who('C-5', 'name'),
    who('C-6', 'name'),
  ];
  expect(all.map((one) => alikeBefore(all, one)?.customer_id)).toEqual([
    undefined,
    'C-1',
    undefined,
    undefined,
    undefined,
    'C-5',
  ]);
});
