import { expect, test } from '@jest/globals';
import { customerImportRow, mostImportBytes, renewalImportRow } from '@ops/contracts/resources/import';
import { columns, exampleFile, mostBytes } from './columns.ts';

const rows = { renewals: renewalImportRow, customers: customerImportRow } as const;
const kinds = ['renewals', 'customers'] as const;

test.each(kinds)('the columns of %s are told as the service takes them', (kind) => {
  const { shape } = rows[kind];
  const taken = Object.entries(shape).map(([name, cell]) => [name, !cell.safeParse(undefined).success]);
  expect(columns[kind].map(({ name, required }) => [name, required])).toEqual(taken);
  expect(mostBytes).toBe(mostImportBytes);
});

test.each(kinds)('the example of %s is a row that the service takes', (kind) => {
  const [head = '', row = ''] = exampleFile(kind).replace('\ufeff', '').split('\r\n');
  const cells = row.split(',');
  const given = Object.fromEntries(head.split(',').map((name, n) => [name, cells[n]]));
  expect(rows[kind].safeParse(given).error).toBeUndefined();
});
