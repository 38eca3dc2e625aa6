import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Problem } from '@ops/contracts/problem';
import type { Calendar, CalendarCountries, CalendarYear, PutCalendar } from '@ops/contracts/resources/calendar';
import { admin, staff, startTestService, type TestService } from '../../test/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const path = '/ops/calendar';
const week: PutCalendar['working_days'] = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'];
const office: PutCalendar = {
  working_days: week,
  hours: { from: '08:00', until: '18:00' },
  country: null,
  region: null,
  holidays: [],
  answer_within_hours: 8,
};
const ifMatch = (tag: string) => ({ 'If-Match': tag });
const newsOf = async () => (await service.events()).filter(({ type }) => type === 'calendar.changed');

test('as installed: Monday to Friday by day, no holidays, answers within 8 hours', async () => {
  const { headers, body } = await service.get<Calendar>(staff, path);
  expect(headers.get('ETag')).toBe('"1"');
  expect(body).toMatchObject({ ...office, version: 1, updated_by: null });
});

test('an admin changes it, against the version that was read; that is told, and the same again is not', async () => {
  const wanted = {
    ...office,
    country: 'CH',
    region: 'ZH',
    holidays: [{ date: '2027-12-24', name: 'Demo day', closed: true }],
  };
  expect((await service.put(staff, path, wanted)).status).toBe(403);
  expect((await service.put(admin, path, wanted, ifMatch('"99"'))).status).toBe(412);
  const put = await service.put<Calendar>(admin, path, wanted, ifMatch('"1"'));
  expect(put.body).toMatchObject({ ...wanted, version: 2, updated_by: 'chief-1' });
  expect((await service.put<Calendar>(admin, path, wanted)).body).toEqual(put.body);
  expect((await service.get<Calendar>(staff, path)).body).toEqual(put.body);
  expect(await newsOf()).toMatchObject([{ subject: 'calendar', data: { ...wanted, version: 2 } }]);
  const { country: _, region: __, holidays: ___, ...least } = wanted;
  expect((await service.put<Calendar>(admin, path, least)).body).toMatchObject({ ...office, version: 3 });
});

test.each([
  ['working_days', { working_days: [] }],
  ['working_days.0', { working_days: ['SOMEDAY'] }],
  ['hours.until', { hours: { from: '18:00', until: '08:00' } }],
  ['hours.from', { hours: { from: '24:00', until: '24:00' } }],
  ['country', { country: 'XX' }],
  ['region', { country: 'CH', region: 'BY' }],
  ['holidays.0.date', { holidays: [{ date: '2027-02-29', name: 'None' }] }],
  ['answer_within_hours', { answer_within_hours: 0 }],
])('it is refused by the name of what is wrong, saved or looked at: %s', async (wrong, given) => {
  for (const answer of [
    await service.put<Problem>(admin, path, { ...office, ...given }),
    await service.post<Problem>(staff, `${path}/preview?year=2027`, { ...office, ...given }),
  ])
    expect([answer.status, answer.body.errors?.map((error) => error.path)]).toEqual([422, [wrong]]);
});

test('a year is looked at before it is saved, with the public holidays of the region and the firm’s own days', async () => {
  const holidays = [
    { date: '2027-05-17', name: 'Open house', closed: false },
    { date: '2027-12-24', name: 'Demo day' },
    { date: '2028-01-02', name: 'Another year' },
  ];
  const calendar = { ...office, country: 'DE', region: 'BY', holidays };
  const { body } = await service.post<CalendarYear>(staff, `${path}/preview?year=2027`, calendar);
  expect(body.year).toBe(2027);
  expect(body.days).toContainEqual({ date: '2027-05-06', name: 'Ascension Day', kind: 'public', closed: true });
  expect(body.days).toContainEqual({ date: '2027-01-06', name: 'Epiphany', kind: 'public', closed: true });
  expect(body.days).toContainEqual({ ...holidays[0], kind: 'own' });
  expect(body.days).toContainEqual({ ...holidays[1], kind: 'own', closed: true });
  expect(body.days.every(({ date }) => date.startsWith('2027-'))).toBe(true);
  const elsewhere = await service.post<CalendarYear>(staff, `${path}/preview?year=2027`, { ...calendar, region: 'HH' });
  expect(elsewhere.body.days.map(({ name }) => name)).not.toContain('Epiphany');
});

test('which countries and regions there are', async () => {
  const { data } = (await service.get<CalendarCountries>(staff, `${path}/countries`)).body;
  expect(data.length).toBeGreaterThan(150);
  const germany = data.find(({ code }) => code === 'DE');
  expect(germany).toMatchObject({
    name: 'Germany',
    regions: expect.arrayContaining([{ code: 'BY', name: 'Bayern' }]),
  });
});

test('by when customers are to be answered is asked by comms-service, of several at once', async () => {
  const { body, headers } = await service.get<Calendar>(staff, path);
  const { version: _, updated_at: __, updated_by: ___, ...before } = body;
  const always = { ...before, working_days: [...week, 'SATURDAY', 'SUNDAY'], hours: { from: '00:00', until: '24:00' } };
  const holidays = { country: null, region: null, holidays: [], answer_within_hours: 8 };
  await service.put(admin, path, { ...always, ...holidays }, ifMatch(headers.get('ETag') ?? ''));
  const written = ['2026-03-02T09:00:00Z', '2026-03-02T20:00:00.5Z'];
  const answer = await service.asked('comms-service', '/internal/calendar/answer-by', { written });
  expect(await answer.json()).toEqual({ data: ['2026-03-02T17:00:00.000Z', '2026-03-03T04:00:00.500Z'] });
  expect((await service.asked('renewals-service', '/internal/calendar/answer-by', { written })).status).toBe(403);
});
