import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { orderOf } from './order.rules.ts';

const item = (item_price: unknown, quantity: unknown = 1, currency: unknown = 'EUR') => ({
  product_retailer_id: 'P',
  quantity,
  item_price,
  currency,
});
const lines = (...product_items: object[]) => orderOf({ product_items })?.body.split('\n') ?? [];
const totalOf = (...items: object[]) => lines(...items).find((line) => line.startsWith('Total: '));

test('an order is its things, what they come to, and what was written to it', () => {
  const order = { text: 'Please', product_items: [item(7.5, 2), { ...item('10'), product_retailer_id: 'Q' }] };
  expect(orderOf(order)?.body.split('\n')).toEqual([
    'Order:',
    '2 x P at 7.5 EUR',
    '1 x Q at 10 EUR',
    'Total: 25.00 EUR',
    'Please',
  ]);
});

test.each([
  ['to the cent, where a sum of floats is not', [item(0.1), item(0.2)], 'Total: 0.30 EUR'],
  ['with nothing before the point', [item(0.05)], 'Total: 0.05 EUR'],
  ['as many digits as the currency has', [item(1200, 3, 'JPY')], 'Total: 3600 JPY'],
  ['and as its finest price', [item(0.125), item(1, 2)], 'Total: 2.125 EUR'],
  ['each currency by itself', [item(1), item(2, 1, 'USD'), item(3)], 'Total: 4.00 EUR, 2.00 USD'],
  ['of a great many', [item('999999999.99', '999999999')], 'Total: 999999998990000000.01 EUR'],
])('the total is told %s', (_, items, total) => {
  expect(totalOf(...items)).toBe(total);
});

test.each([
  ['no price', item(undefined)],
  ['a price that is none', item('about 5')],
  ['a price below nothing', item(-5)],
  ['a price of a size nobody pays', item(1e21)],
  ['no currency', item(5, 1, null)],
  ['a currency that is none', item(5, 1, 'euro')],
  ['half a thing', item(5, 1.5)],
])('where one of them has %s, there is no total', (_, unclear) => {
  expect(lines(item(1), unclear).length).toBe(3);
  expect(totalOf(item(1), unclear)).toBeUndefined();
});

test('the total is that of whole cents, whatever is ordered', () => {
  const ordered = fc.tuple(fc.integer({ min: 0, max: 99_999_999 }), fc.integer({ min: 0, max: 1_000 }));
  fc.assert(
    fc.property(fc.array(ordered, { minLength: 1, maxLength: 20 }), (all) => {
      const cents = all.reduce((sum, [price, quantity]) => sum + price * quantity, 0);
      const total = totalOf(...all.map(([price, quantity]) => item(price / 100, quantity)));
      expect(total).toBe(`Total: ${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')} EUR`);
    }),
  );
});
