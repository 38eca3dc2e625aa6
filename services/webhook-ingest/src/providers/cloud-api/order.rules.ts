import { type Content, words } from '../human-form.rules.ts';
import { type Fields, fields, list, text } from '../untrusted.rules.ts';

/** What somebody ordered from a catalogue, a line for each thing; what it comes to, if all of it has a price. */
export function orderOf(order: Fields): Content | undefined {
  const items = list(order.product_items).map((given) => itemOf(fields(given)));
  if (items.length === 0) return words(text(order.text));
  return words('Order:', ...items.map(lineOf), totalOf(items), text(order.text));
}

interface Item {
  quantity: string;
  product: string;
  price: string | undefined;
  currency: string | undefined;
}

const itemOf = ({ quantity, product_retailer_id, item_price, currency }: Fields): Item => ({
  quantity: text(quantity) ?? '1',
  product: text(product_retailer_id) ?? 'something',
  price: text(item_price),
  currency: text(currency),
});

function lineOf({ quantity, product, price, currency }: Item): string {
  const each = [price, currency].filter((part) => part !== undefined).join(' ');
  return `${quantity} x ${product}${each && ` at ${each}`}`;
}

/** By currency, in the order in which they come. */
function totalOf(items: readonly Item[]): string | undefined {
  const amounts = items.map(amountOf);
  if (!amounts.every((amount) => amount !== undefined)) return undefined;
  const byCurrency = Map.groupBy(amounts, ({ currency }) => currency);
  const sums = [...byCurrency].map(([currency, of]) => `${sumOf(of, minorDigits(currency))} ${currency}`);
  return `Total: ${sums.join(', ')}`;
}

/** So many of the smallest part of a price as written: cents, with two digits. */
interface Amount {
  currency: string;
  parts: bigint;
  digits: number;
}

/** JSON gives back up to 15 digits of a number as they were written. */
function amountOf({ quantity, price = '', currency = '' }: Item): Amount | undefined {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(price) ?? [];
  if (whole === undefined || !/^\d{1,9}$/.test(quantity) || !/^[A-Z]{3}$/.test(currency)) return undefined;
  return { currency, parts: BigInt(whole + fraction) * BigInt(quantity), digits: fraction.length };
}

/** As money of that currency is written, or finer where a price is. */
function sumOf(amounts: readonly Amount[], least: number): string {
  const digits = Math.max(least, ...amounts.map((amount) => amount.digits));
  const sum = amounts.reduce((parts, amount) => parts + amount.parts * 10n ** BigInt(digits - amount.digits), 0n);
  const written = String(sum).padStart(digits + 1, '0');
  return digits === 0 ? written : `${written.slice(0, -digits)}.${written.slice(-digits)}`;
}

const minorDigits = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
