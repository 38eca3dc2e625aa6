import type { Page } from '@ops/contracts/pagination';
import type { Communication, HistoryEntry } from '@ops/contracts/resources/communication';
import type { Customer } from '@ops/contracts/resources/customer';
import type { TimelineEvent } from '@ops/contracts/resources/timeline';
import type { DismissResult, LinkResult, Unmatched } from '@ops/contracts/resources/unmatched';
import { said } from './message.ts';
import { staff, type TestService } from './service.ts';

type Log = Page<Communication> & { unread_count: number };

export const from = (phone: string, rest: Parameters<typeof said>[0] = {}) =>
  said({ ...rest, sender: { phone, name: null, ...rest.sender } });

/** What a person at the desk does with messages that wait, and where they look. */
export function deskOf({ get, put, post }: TestService) {
  const listed = async (query = '') => (await get<Page<Unmatched>>(staff, `/ops/unmatched${query}`)).body.data;
  const known = (id: string, body: object) => put<Customer>(staff, `/ops/customers/${id}`, body);
  let turn = 0;
  return {
    put: known,
    /** Two customers and a stranger that no other test has. */
    people: async () => {
      turn += 1;
      const [ada, bob] = [`ada-${turn}`, `bob-${turn}`];
      await known(ada, { name: `Ada Demo ${turn}`, emails: [`ada${turn}@example.com`] });
      await known(bob, { name: `Bob Demo ${turn}` });
      return { turn, stranger: `+44770090${String(turn).padStart(4, '0')}`, ada, bob };
    },
    customer: async (id: string) => (await get<Customer>(staff, `/ops/customers/${id}`)).body,
    log: async (id: string) => (await get<Log>(staff, `/ops/customers/${id}/communications?limit=200`)).body,
    timeline: async (id: string) => (await get<Page<TimelineEvent>>(staff, `/ops/customers/${id}/timeline`)).body.data,
    history: async (id: string) =>
      (await get<Page<HistoryEntry>>(staff, `/ops/communications/${id}/history`)).body.data,
    link: (id: string, customer_id: string) => post<LinkResult>(staff, `/ops/unmatched/${id}/link`, { customer_id }),
    unlink: (id: string) => post<LinkResult>(staff, `/ops/unmatched/${id}/unlink`),
    dismiss: (id: string) => post<DismissResult>(staff, `/ops/unmatched/${id}/dismiss`),
    restore: (id: string) => post<DismissResult>(staff, `/ops/unmatched/${id}/restore`),
    listed,
    find: async (id: string, query = '?limit=200') => (await listed(query)).find((one) => one.id === id),
  };
}
