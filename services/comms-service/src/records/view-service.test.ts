import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { ServiceAuditEntry } from '@ops/contracts/resources/audit';
import type { Attachment } from '@ops/contracts/resources/communication';
import { admin, automation, customer, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  for (const id of ['C-1', 'C-2', 'C-3']) await service.put(staff, `/ops/customers/${id}`, { name: `Demo ${id}` });
});
afterAll(() => service.close());

const look = (id: string, by = staff, query = '') => service.get(by, `/ops/customers/${id}/communications${query}`);
const views = async () => {
  const path = '/ops/services/comms-service/audit?limit=200';
  const { data } = (await service.get<Page<ServiceAuditEntry>>(admin, path)).body;
  return data.filter(({ subject }) => subject.kind === 'view');
};

test('who looks at what was said with a customer is written down once an hour, however often and at once', async () => {
  await Promise.all([look('C-1'), look('C-2')]);
  for (const query of ['', '?limit=1', '?q=words']) expect((await look('C-1', staff, query)).status).toBe(200);
  await look('C-1', automation);
  const seen = (await views()).map(({ actor, subject }) => `${actor} ${subject.id}`);
  expect(seen.toSorted()).toEqual(['agent-1 C-1', 'agent-1 C-2', 'importer C-1']);
  expect((await views())[0]).toMatchObject({ action: 'listCommunications', changes: [{ field: 'viewed', new: true }] });
});

test('what another process has written this hour is not written again, and under an old id it is the one who stays', async () => {
  const before = (await views()).length;
  await service.post(staff, '/ops/customers/C-2/merge', { into: 'C-1' });
  await look('C-2');
  expect(await views()).toHaveLength(before);
});

test('a file is looked at like its log; customers, who look at their own, and who is not there leave nothing', async () => {
  const before = await views();
  await look('C-3', customer('C-3'));
  await look('nobody');
  expect(await views()).toEqual(before);
  const path = '/ops/customers/C-3/attachments?name=a.txt';
  const { body } = await service.post<Attachment>(staff, path, Buffer.from('text'), { 'content-type': 'text/plain' });
  await service.get(staff, `/ops/attachments/${body.id}`);
  expect((await views())[0]).toMatchObject({ action: 'getAttachment', customer_id: 'C-3' });
});

test('of a customer staff read who changed what, and not who looked', async () => {
  const history = await service.get<Page<{ action: string }>>(staff, '/ops/customers/C-1/history');
  expect(history.body.data.some(({ action }) => action === 'listCommunications')).toBe(false);
});
