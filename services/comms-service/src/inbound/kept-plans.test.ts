import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { inTransaction, rows, type Trx } from '@ops/service-kit/database';
import { deps, said, takeInOpen } from '../../test/message.ts';
import { customer, staff, startTestService, type TestService } from '../../test/service.ts';
import { createCommunications } from '../communications/communication-service.ts';
import { listRecords } from '../communications/communication-store.ts';

let service: TestService;

const phone = '+447700900001';

beforeAll(async () => {
  service = await startTestService();
  await service.put(staff, '/ops/customers/C-1', { name: 'Ada Demo', phones: [phone] });
  await service.put(staff, '/ops/customers/C-2', { name: 'Bob Demo' });
});
afterAll(() => service.close());

/** Of this connection's statements, those that Postgres plans anew each time: the plan that is for any values looks dearer to it. */
async function plannedAnew(trx: Trx): Promise<string[]> {
  const found = await rows<{ statement: string }>(
    trx,
    'SELECT statement FROM pg_prepared_statements WHERE generic_plans = 0 AND custom_plans > :tries',
    { tries: 6 },
  );
  return found.map(({ statement }) => statement);
}

const again = async (work: (trx: Trx) => Promise<unknown>): Promise<string[]> =>
  inTransaction(service.db, async (trx) => {
    for (let n = 0; n < 12; n++) await work(trx);
    return plannedAnew(trx);
  });

test('taking a message in plans nothing that was planned before', async () => {
  const answers = { external_ids: ['wamid.nothing'] };
  expect(await again((trx) => takeInOpen(trx, said({ sender: { phone }, answers })))).toEqual([]);
});

test.each(['INBOUND', 'OUTBOUND'] as const)('nor does logging one, %s', async (direction) => {
  const message = { type: 'MESSAGING_APP', direction, body: 'Hello' } as const;
  const wanted = { customerId: 'C-1', input: message, actor: staff };
  const other = { ...wanted, customerId: 'C-2' };
  expect(await again((trx) => createCommunications(deps, trx, [wanted]))).toEqual([]);
  expect(await again((trx) => createCommunications(deps, trx, [wanted, other]))).toEqual([]);
});

test.each<[string, object]>([
  ['whole', {}],
  ['of one type', { filterType: 'EMAIL' }],
  ['for the customer', { reader: customer('C-1') }],
])('nor does reading a page of the log, %s', async (_, asked) => {
  const page = { customerId: 'C-1', reader: staff, filterType: null, asked: {}, after: undefined, limit: 21, ...asked };
  expect(await again((trx) => listRecords(trx, page))).toEqual([]);
});
