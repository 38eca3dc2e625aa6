import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { identifiersOf, keyOf, placeAll, placeSender, type SenderIdentifier, toHolders } from './matching.rules.ts';

const phone = (value: string): SenderIdentifier => ({ kind: 'phone', value });
const userId = (value: string): SenderIdentifier => ({ kind: 'user_id', value });
const has = (customer_id: string, identifier: SenderIdentifier, link_id: string | null = null) => ({
  ...identifier,
  customer_id,
  home: customer_id,
  link_id,
});
const taught = (...all: Parameters<typeof has>) => {
  const { home: _, ...learned } = has(...all);
  return learned;
};

test('an address is compared in lower case and composed, a phone as it is, and what is no number is none', () => {
  const sender = { phone: '+447700900001', email: ' Jose\u0301@Example.com', user_id: 'US.1349' };
  expect(identifiersOf(sender)).toEqual([
    phone('+447700900001'),
    { kind: 'email', value: 'jos\u00e9@example.com' },
    userId('US.1349'),
  ]);
  expect(identifiersOf({ phone: 'PHONE_NUMBER', email: null, user_id: null })).toEqual([]);
  expect(identifiersOf({ phone: 'US.1349', email: '', user_id: '' })).toEqual([]);
});

test('nobody, one, or several customers have it', () => {
  const holders = toHolders([
    has('A', phone('+447700900001')),
    has('A', phone('+447700900002')),
    has('B', phone('+447700900002')),
  ]);
  expect(placeSender([phone('+447700900003')], holders)).toEqual({ customer: null, reason: 'unknown', link: null });
  expect(placeSender([phone('+447700900001')], holders)).toEqual({
    customer: 'A',
    under: 'A',
    reason: null,
    link: null,
  });
  expect(placeSender([phone('+447700900002')], holders)).toEqual({ customer: null, reason: 'ambiguous', link: null });
  expect(placeSender([], holders)).toEqual({ customer: null, reason: 'unknown', link: null });
});

test('what an alias has is of whom it leads to, and filed under the alias unless they have it themselves', () => {
  const alias = (one: SenderIdentifier, link: string | null = null) => ({ ...has('A', one, link), home: 'B' });
  const [phoneOfBoth, phoneOfAlias, id] = [phone('+447700900001'), phone('+447700900002'), userId('U1')];
  const holders = toHolders([alias(phoneOfBoth), has('B', phoneOfBoth), alias(phoneOfAlias, 'link-1'), has('C', id)]);
  expect(placeSender([phoneOfAlias], holders)).toEqual({ customer: 'B', under: 'A', reason: null, link: 'link-1' });
  expect(placeSender([phoneOfBoth, phoneOfAlias], holders)).toMatchObject({ customer: 'B', under: 'B', link: null });
  expect(placeSender([phoneOfAlias, id], holders).reason).toBe('ambiguous');
  const { learned } = placeAll([{ identifiers: [phoneOfAlias, userId('U2')], becomes: [] }], holders);
  expect(learned).toEqual([taught('A', userId('U2'), 'link-1')]);
});

test('a user id of one customer and a phone of another are ambiguous; a shared phone is not settled by a user id', () => {
  const holders = toHolders([
    has('A', userId('U1')),
    has('B', phone('+447700900001')),
    has('A', phone('+447700900002')),
    has('B', phone('+447700900002')),
  ]);
  expect(placeSender([phone('+447700900001'), userId('U1')], holders).reason).toBe('ambiguous');
  expect(placeSender([phone('+447700900002'), userId('U1')], holders).reason).toBe('ambiguous');
  expect(placeSender([phone('+447700900009'), userId('U1')], holders).customer).toBe('A');
});

test('a line written in another way is found, and two who write it differently share it', () => {
  const long = has('A', phone('+5511987654321'));
  expect(placeSender([phone('+551187654321')], toHolders([long])).customer).toBe('A');
  expect(placeSender([phone('+551187654321')], toHolders([long, has('B', phone('+551187654321'))])).reason).toBe(
    'ambiguous',
  );
});

test('an Argentine mobile is found without its 9, unless somebody has it as it is; a landline never finds a mobile', () => {
  const [mobile, bare] = [phone('+5491187654321'), phone('+541187654321')];
  expect(placeSender([mobile], toHolders([has('A', bare)])).customer).toBe('A');
  expect(placeSender([mobile], toHolders([has('A', bare), has('B', mobile)])).customer).toBe('B');
  expect(placeSender([bare], toHolders([has('B', mobile)])).reason).toBe('unknown');
});

test('what one message teaches places the next; what somebody has is not learned', () => {
  const known = toHolders([has('A', phone('+447700900001')), has('B', userId('U2'))]);
  const sender = (...identifiers: SenderIdentifier[]) => ({ identifiers, becomes: [] as SenderIdentifier[] });
  const { placements, learned } = placeAll(
    [
      sender(phone('+447700900001'), userId('U1')),
      sender(userId('U1')),
      { identifiers: [userId('U1')], becomes: [userId('U2'), userId('U3')] },
      sender(userId('U3')),
    ],
    known,
  );
  expect(placements.map(({ customer }) => customer)).toEqual(['A', 'A', 'A', 'A']);
  expect(learned).toEqual([taught('A', userId('U1')), taught('A', userId('U3'))]);
});

test('a placement rests on a link only where nothing else leads to the customer, and teaches on the same ground', () => {
  const [linked, given, fresh] = [phone('+447700900001'), userId('U1'), userId('U2')];
  const holders = toHolders([has('A', linked, 'link-1'), has('A', given)]);
  expect(placeSender([linked], holders).link).toBe('link-1');
  expect(placeSender([linked, given], holders).link).toBeNull();
  expect(placeAll([{ identifiers: [linked, fresh], becomes: [] }], holders).learned).toEqual([
    taught('A', fresh, 'link-1'),
  ]);
});

const someone = fc.constantFrom('A', 'B', 'C');
const number = fc.constantFrom('+551187654321', '+5511987654321', '+5491187654321', '+541187654321', '+447700900001');
const identifier = fc.oneof(number.map(phone), fc.constantFrom('U1', 'U2', 'U3').map(userId));

test('nobody is ever guessed: a placed sender leads to one customer alone, and an identifier is taught to one', () => {
  const given = fc.array(
    fc.tuple(someone, identifier).map(([customer, one]) => has(customer, one)),
    { maxLength: 6 },
  );
  const senders = fc.array(
    fc.uniqueArray(identifier, { maxLength: 2, selector: keyOf }).map((identifiers) => ({ identifiers, becomes: [] })),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(given, senders, (rows, all) => {
      const { placements, learned } = placeAll(all, toHolders(rows));
      const after = toHolders([...rows, ...learned.map((one) => ({ ...one, home: one.customer_id }))]);
      for (const [index, { customer }] of placements.entries())
        if (customer !== null) expect(placeSender(all[index]?.identifiers ?? [], after).customer).toBe(customer);
      for (const one of learned)
        expect(rows.some((row) => row.kind === one.kind && row.value === one.value)).toBe(false);
      expect(new Set(learned.map(({ kind, value }) => `${kind}:${value}`)).size).toBe(learned.length);
    }),
    { seed: 20_260_311, numRuns: 3_000 },
  );
});
