import { expect, test } from '@jest/globals';
import type { FactSource } from '@ops/contracts/resources/customer';
import fc from 'fast-check';
import { archivedAtOf, given, type StoredCustomer, type Wanted } from './customer.rules.ts';
import { giversAfter, keepPeoples, sourcesAfter } from './source.rules.ts';

const at = '2026-01-02T00:00:00.000Z';
const nobody = { name: 'Demo', locale: null, time_zone: null, assigned_agent: null, preferred_channel: null };
const profileOf = (said: Partial<Wanted['profile']>) => ({ ...nobody, do_not_contact: false, ...said });
const say = (by: FactSource, phones: string[], said: Partial<Wanted['profile']> = {}): Wanted => ({
  profile: profileOf(said),
  phones,
  emails: [],
  by,
});

/** As it is stored after that. */
function saved(stored: StoredCustomer | undefined, asked: Wanted): StoredCustomer {
  const { wanted } = keepPeoples(stored, asked);
  const phones = giversAfter(stored, 'phone', wanted);
  return {
    ...wanted.profile,
    id: 'C-1',
    version: 1,
    created_at: at,
    updated_at: at,
    unread_count: 0,
    archived_at: archivedAtOf(stored, wanted, new Date(at)),
    sort_key: 'demo',
    leads_to: null,
    sources: sourcesAfter(stored, wanted, at),
    identifiers: phones.map((one) => ({
      kind: 'phone' as const,
      source: 'given' as const,
      of: 'C-1',
      opted_out: {},
      ...one,
    })),
  };
}
const phonesAfter = (...said: Wanted[]) =>
  given(said.reduce(saved, undefined as unknown as StoredCustomer) as StoredCustomer, 'phone');

test('what a person said stays, and is named; what machines said, machines change', () => {
  const first = saved(undefined, say('automation', ['a'], { locale: 'de', time_zone: 'UTC' }));
  const edited = saved(first, say('staff', ['a', 'b'], { locale: 'fr', time_zone: 'UTC' }));
  const { wanted, kept } = keepPeoples(edited, say('automation', ['c'], { locale: 'en', time_zone: null }));
  expect(kept).toEqual(['locale', 'phones']);
  expect(wanted).toMatchObject({ phones: ['c', 'b'], profile: { locale: 'fr', time_zone: null } });
  expect(edited.sources).toMatchObject({ locale: { source: 'staff', at }, time_zone: { source: 'automation' } });
});

test('what a person took away stays away, and whoever is not to be written to is not', () => {
  const first = saved(undefined, say('import', [], { locale: 'de' }));
  const edited = saved(first, say('staff', [], { do_not_contact: true }));
  const { wanted, kept } = keepPeoples(edited, say('import', [], { locale: 'de' }));
  expect(kept).toEqual(['locale', 'do_not_contact']);
  expect(wanted.profile).toMatchObject({ locale: null, do_not_contact: true });
});

test('saying again what is so takes nothing over, and what is older than sources may change', () => {
  const first = saved(undefined, say('automation', ['a'], { locale: 'de' }));
  expect(saved(first, say('staff', ['a'], { locale: 'de' }))).toEqual(first);
  const old = { ...first, sources: {}, identifiers: first.identifiers.map((one) => ({ ...one, given_by: null })) };
  expect(keepPeoples(old, say('automation', ['b'], { locale: 'fr' })).kept).toEqual([]);
});

test('each of a person stays at its place, and which is first is theirs to say', () => {
  const [crm, again] = [say('automation', ['a', 'b']), say('automation', ['x', 'b'])];
  expect(phonesAfter(crm, say('staff', ['a', 'b', 'own']), again)).toEqual(['x', 'b', 'own']);
  expect(phonesAfter(crm, say('staff', ['own', 'a', 'b']), again)).toEqual(['own', 'x', 'b']);
  expect(phonesAfter(crm, say('staff', ['b', 'a']), crm)).toEqual(['b', 'a']);
  expect(phonesAfter(crm, say('staff', ['own', 'a', 'b']), say('automation', []))).toEqual(['own']);
});

test('whatever machines say, nothing of a person is lost, and saying it twice changes nothing more', () => {
  const list = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'));
  const by = fc.constantFrom<FactSource>('staff', 'automation', 'import');
  fc.assert(
    fc.property(fc.array(fc.tuple(by, list), { minLength: 1 }), list, (said, last) => {
      const before = said
        .map(([who, phones]) => say(who, phones))
        .reduce(saved, undefined as unknown as StoredCustomer);
      const asked = say('automation', last);
      const after = saved(before, asked);
      const peoples = before.identifiers.filter((one) => one.given_by === 'staff').map(({ value }) => value);
      const now = given(after, 'phone');
      expect(new Set(now)).toEqual(new Set([...peoples, ...last]));
      expect(now.filter((one) => peoples.includes(one))).toEqual(peoples);
      expect(saved(after, asked)).toEqual(after);
      expect(keepPeoples(before, asked).kept).toEqual(now.join() === last.join() ? [] : ['phones']);
    }),
  );
});
