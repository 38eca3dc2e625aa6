import type { Page } from '@ops/contracts/pagination';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { LinkResult, Unmatched } from '@ops/contracts/resources/unmatched';
import { staff, type TestService } from '../test-service.ts';

type Log = Page<Communication> & { unread_count: number };

/** What a person at the desk does with messages that wait, and where they look. */
export function deskOf({ get, put, post }: TestService) {
  const listed = async (query = '') => (await get<Page<Unmatched>>(staff, `/ops/unmatched${query}`)).body.data;
  return {
    put: (id: string, body: object) => put<Customer>(staff, `/ops/customers/${id}`, body),
    customer: async (id: string) => (await get<Customer>(staff, `/ops/customers/${id}`)).body,
    log: async (id: string) => (await get<Log>(staff, `/ops/customers/${id}/communications?limit=200`)).body,
    timeline: async (id: string) => (await get<Page<TimelineEvent>>(staff, `/ops/customers/${id}/timeline`)).body.data,
    history: async (id: string) =>
      (await get<Page<HistoryEntry>>(staff, `/ops/communications/${id}/history`)).body.data,
    link: (id: string, customer_id: string) => post<LinkResult>(staff, `/ops/unmatched/${id}/link`, { customer_id }),
    unlink: (id: string) => post<LinkResult>(staff, `/ops/unmatched/${id}/unlink`),
    listed,
    find: async (id: string, query = '?limit=200') => (await listed(query)).find((one) => one.id === id),
  };
}
