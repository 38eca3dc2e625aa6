import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';
import type { CalendarDraft } from './calendar-days.ts';

export const calendarQuery = queryOptions({
  queryKey: ['calendar'],
  queryFn: ({ signal }) => dataOf(api.GET('/ops/calendar', { signal })),
});

export const countriesQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['calendar-countries'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/calendar/countries', { signal }))).data,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The holidays a year would have. What is half typed is left out, and what does not bear on them. */
export function yearQuery(year: number, { country, region, holidays }: CalendarDraft, usual: CalendarDraft) {
  const whole = holidays.filter(({ date, name }) => date !== '' && name !== '');
  const body = { ...usual, country, region, holidays: whole };
  return queryOptions({
    ...toldByNobody,
    queryKey: ['calendar-year', year, country, region, whole],
    queryFn: ({ signal }) => dataOf(api.POST('/ops/calendar/preview', { params: { query: { year } }, body, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });
}
