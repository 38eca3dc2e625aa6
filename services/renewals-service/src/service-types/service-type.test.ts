import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Page } from '@ops/contracts/pagination';
import type { AuditEntry } from '@ops/contracts/resources/audit';
import type { ServiceType } from '@ops/contracts/resources/service-type';
import { at } from '../../test/renewals.ts';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
  service.customers.add({ id: 'C-1' });
});
afterAll(() => service.close());
beforeEach(async () => {
  await service.empty();
  await service.db('service_types').whereNotIn('code', seeded).delete();
});

const seeded = ['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY'];
const list = async () => (await service.get<{ data: ServiceType[] }>(staff, '/ops/service-types')).body.data;
const put = <T = ServiceType>(code: string, body: object, headers?: Record<string, string>) =>
  service.put<T>(admin, `/ops/service-types/${code}`, body, headers);

test('three are described from the start', async () => {
  expect((await list()).map(({ code, renewal_months, listed }) => [code, renewal_months, listed])).toEqual([
    ['INSURANCE_POLICY', 12, true],
    ['RESIDENCE_PERMIT', 24, true],
    ['WORK_PERMIT', 24, true],
  ]);
});

const nobodys = { labels: {}, listed: false, version: 0, updated_at: null };

test('a type that renewals are of and nobody described is listed as such, until somebody describes it', async () => {
  await at(service).create({ service_type: 'PET_LICENCE' });
  await at(service).create({ service_type: 'WORK_PERMIT' });
  expect((await list()).slice(3)).toEqual([
    { ...nobodys, code: 'PET_LICENCE', label: 'PET_LICENCE', renewal_months: null },
  ]);
  const made = await put('PET_LICENCE', { label: 'Pet licence', renewal_months: 6 });
  expect(made).toMatchObject({
    status: 201,
    body: { label: 'Pet licence', renewal_months: 6, listed: true, version: 1 },
  });
  expect((await list()).map(({ code, listed }) => [code, listed])).toContainEqual(['PET_LICENCE', true]);
});

test('the same again is 200 with the same version; a change raises it, a stale one is refused', async () => {
  const wanted = { label: 'Pet licence', renewal_months: null };
  expect(await put('PET_LICENCE', wanted, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  await put('PET_LICENCE', wanted);
  expect(await put('PET_LICENCE', wanted)).toMatchObject({ status: 200, body: { version: 1 } });
  const changed = await put('PET_LICENCE', { ...wanted, renewal_months: 12 }, { 'if-match': '"1"' });
  expect(changed).toMatchObject({ status: 200, body: { version: 2, renewal_months: 12 } });
  expect(changed.headers.get('etag')).toBe('"2"');
  expect(await put('PET_LICENCE', wanted, { 'if-match': '"1"' })).toMatchObject({ status: 412 });
  const { body } = await service.get<Page<AuditEntry>>(staff, '/ops/service-types/PET_LICENCE/history');
  expect(body.data.slice(0, 2).map(({ actor, changes }) => [actor, changes?.[0]])).toEqual([
    [admin.sub, { field: 'renewal_months', old: null, new: 12 }],
    [admin.sub, { field: 'label', old: null, new: 'Pet licence' }],
  ]);
});

test('it is called otherwise in other languages; whoever changes something else leaves that as it is', async () => {
  const labels = { de: 'Hundebewilligung', 'fr-CH': 'Permis de chien' };
  const wanted = { label: 'Pet licence', renewal_months: null };
  expect(await put('PET_LICENCE', { ...wanted, labels })).toMatchObject({ status: 201, body: { labels } });
  const { 'fr-CH': french, de } = labels;
  const turned = { 'fr-CH': french, de };
  expect(await put('PET_LICENCE', { ...wanted, labels: turned })).toMatchObject({ body: { version: 1 } });
  expect(await put('PET_LICENCE', { ...wanted, renewal_months: 6 })).toMatchObject({ body: { version: 2, labels } });
  expect(await put('PET_LICENCE', { ...wanted, labels: {} })).toMatchObject({ body: { version: 3, labels: {} } });
  for (const wrong of [{ German: 'x' }, { de: '' }, { de: 'x'.repeat(101) }])
    expect(await put('PET_LICENCE', { ...wanted, labels: wrong })).toMatchObject({ status: 422 });
});

test('the installed ones have German names', async () => {
  expect((await list()).map(({ labels }) => labels.de)).toEqual([
    'Versicherungspolice',
    'Aufenthaltstitel',
    'Arbeitserlaubnis',
  ]);
});

test('staff may not describe one, and one that is no code is refused', async () => {
  expect(await service.put(staff, '/ops/service-types/A', {})).toMatchObject({ status: 403 });
  expect(await put('lower', { label: 'x', renewal_months: 1 })).toMatchObject({ status: 422 });
  expect(await put('A', { label: 'x', renewal_months: 0 })).toMatchObject({ status: 422 });
});

test('of many who describe it at once one makes it, and all are answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => put('PET_LICENCE', { label: `Label ${n}`, renewal_months: null })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 201]);
  expect((await list()).find(({ code }) => code === 'PET_LICENCE')?.version).toBe(8);
});
