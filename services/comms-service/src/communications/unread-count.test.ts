import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { Communication } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import fc from 'fast-check';
import { staff, startTestService, type TestService } from '../../test/service.ts';

// For a hang: the work is the same on a slow machine.

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const message = { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'Hello' };

type Step = 'create' | 'read all' | 'read up to' | 'look';
const steps = fc.array(
  fc.oneof(
    { arbitrary: fc.constant<Step>('create'), weight: 6 },
    { arbitrary: fc.constantFrom<Step>('read all', 'read up to', 'look'), weight: 4 },
  ),
  { minLength: 200, maxLength: 200 },
);

/** Four for each connection of the service: more would only stand in line longer, and on a slow machine be sent away. */
const callers = 40;

/** Each asks again as soon as it has its answer, until there is nothing left to do. */
async function takeAll<Step, Taken>(mix: readonly Step[], take: (step: Step, index: number) => Promise<Taken>) {
  const left = mix.entries();
  const taken: Taken[] = [];
  const call = async () => {
    for (const [index, step] of left) taken.push(await take(step, index));
  };
  await Promise.all(Array.from({ length: callers }, call));
  return taken;
}

/** To shrink would take as long again and again, and what failed among so many at once may not fail the next time. */
const asFound = { endOnFailure: true };

type Log = Page<Communication> & { unread_count: number };

let customers = 0;

async function newCustomer(): Promise<string> {
  customers += 1;
  const path = `/ops/customers/busy-${customers}`;
  await service.put(staff, path, { name: 'Busy Demo' });
  return path;
}

/** The whole log fits a page, so the answer itself says whether its count is the number of its unread records. */
async function look(path: string) {
  const { body } = await service.get<Log>(staff, `${path}/communications?limit=200`);
  const unread = body.data.filter((record) => record.unread).length;
  expect({ next: body.next_cursor, count: body.unread_count }).toEqual({ next: null, count: unread });
  return body;
}

async function take(step: Step, path: string, first: Communication): Promise<{ created: number; read: number }> {
  if (step === 'look') return look(path).then(() => ({ created: 0, read: 0 }));
  if (step === 'create') {
    expect(await service.post(staff, `${path}/communications`, message)).toMatchObject({ status: 201 });
    return { created: 1, read: 0 };
  }
  const body = step === 'read up to' ? { up_to: first.id } : undefined;
  const answer = await service.patch<{ marked_read: number }>(staff, `${path}/communications/read`, body);
  expect(answer.status).toBe(200);
  return { created: 0, read: answer.body.marked_read };
}

test('200 creates and mark-as-reads, 40 at once: the count is the number of unread records, during and after', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (mix) => {
      const path = await newCustomer();
      const { body: first } = await service.post<Communication>(staff, `${path}/communications`, message);
      const taken = await takeAll(mix, (step) => take(step, path, first));
      const created = 1 + taken.reduce((sum, { created }) => sum + created, 0);
      const read = taken.reduce((sum, { read }) => sum + read, 0);
      const { unread_count } = await look(path);
      expect(unread_count).toBe(created - read);
      expect((await service.get<Customer>(staff, path)).body.unread_count).toBe(unread_count);
    }),
    { seed: 20_260_302, numRuns: 4, ...asFound },
  );
});

test('the customer list shows the same counts, and finds who has something unread', async () => {
  const path = await newCustomer();
  const id = path.split('/').at(-1);
  await service.post(staff, `${path}/communications`, message);
  await service.post(staff, `${path}/communications`, message);
  const listed = async (unread: boolean) => {
    const { body } = await service.get<Page<Customer>>(staff, `/ops/customers?unread=${unread}&limit=200`);
    return body.data.find((one) => one.id === id)?.unread_count;
  };
  expect([await listed(true), await listed(false)]).toEqual([2, undefined]);
  await service.patch(staff, `${path}/communications/read`);
  expect([await listed(true), await listed(false)]).toEqual([undefined, 0]);
});

test('records refiled back and forth while others arrive and are read: each count stays the number of its own', async () => {
  const moves = fc.array(fc.constantFrom('create', 'read all', 'move'), { minLength: 60, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(moves, async (mix) => {
      const paths = [await newCustomer(), await newCustomer()] as const;
      const { body: first } = await service.post<Communication>(staff, `${paths[0]}/communications`, message);
      const done = await takeAll(mix, (step, index) => refile(step, paths, first, index));
      const created = 1 + done.reduce((sum, { created }) => sum + created, 0);
      const read = done.reduce((sum, { read }) => sum + read, 0);
      const left = (await look(paths[0])).unread_count + (await look(paths[1])).unread_count;
      expect(left).toBe(created - read);
    }),
    { seed: 20_260_305, numRuns: 3, ...asFound },
  );
});

async function refile(
  step: 'create' | 'read all' | 'move',
  paths: readonly [string, string],
  record: Communication,
  index: number,
) {
  const path = paths[index % 2 === 0 ? 0 : 1];
  if (step !== 'move') return take(step, path, record);
  const customer_id = path.split('/').at(-1);
  const { status } = await service.post(staff, `/ops/communications/${record.id}/move`, { customer_id });
  expect(status).toBe(200);
  return { created: 0, read: 0 };
}
