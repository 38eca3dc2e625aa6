import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useAgentNames } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import { Former } from '../parts/former.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import table from '../parts/table.module.css';
import { UnreadBadge } from '../parts/unread-badge.tsx';
import { customersQuery } from './customer-queries.ts';

const route = getRouteApi('/customers');

export function CustomersPage() {
  const { query = '', unread = false } = route.useSearch();
  const navigate = route.useNavigate();
  const search = useDebouncedCallback(
    (text: string) => navigate({ search: (before) => ({ ...before, query: text || undefined }), replace: true }),
    200,
  );
  const field = useRef<HTMLInputElement>(null);
  // What somebody is typing is ahead of the address.
  useEffect(() => {
    const { current } = field;
    if (current && current !== document.activeElement) current.value = query;
  }, [query]);
  return (
    <>
      <PageHeader
        title="Customers"
        filters={
          <>
            <TextInput
              ref={field}
              defaultValue={query}
              onChange={({ currentTarget }) => search(currentTarget.value)}
              leftSection={<IconSearch size={16} />}
              placeholder="Name, id, number or address"
              aria-label="Search customers"
            />
            <SegmentedControl
              value={unread ? 'unread' : 'all'}
              onChange={(value) =>
                navigate({ search: (before) => ({ ...before, unread: value === 'unread' ? true : undefined }) })
              }
              data={[
                { value: 'all', label: 'All' },
                { value: 'unread', label: 'Unread' },
              ]}
              aria-label="Which customers"
            />
          </>
        }
        action={
          <Button renderRoot={(props) => <Link to="/import/customers" {...props} />} variant="default">
            Import
          </Button>
        }
      />
      <Customers query={query} unread={unread} />
    </>
  );
}

function Customers({ query, unread }: { query: string; unread: boolean }) {
  const list = useInfiniteQuery(customersQuery(query, unread));
  const agentName = useAgentNames();
  return (
    <Former isFormer={list.isPlaceholderData}>
      <Listed query={list} empty={emptyWords(query, unread)} skeleton={{ rows: 10 }}>
        {(customers) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th>Customer</th>
                <th>Id</th>
                <th>Phone</th>
                <th>E-mail</th>
                <th>Prefers</th>
                <th>Agent</th>
              </tr>
            </thead>
            <tbody>
              {customers.map((customer) => (
                <tr key={customer.id}>
                  <td data-label="Customer">
                    <Link to="/customers/$id" params={{ id: customer.id }} className={table.main}>
                      {customer.name}
                    </Link>{' '}
                    <UnreadBadge count={customer.unread_count} />
                  </td>
                  <td data-label="Id">{customer.id}</td>
                  <td data-label="Phone">{customer.phones[0]}</td>
                  <td data-label="E-mail">{customer.emails[0]}</td>
                  <td data-label="Prefers">{customer.preferred_channel && channelNames[customer.preferred_channel]}</td>
                  <td data-label="Agent">{customer.assigned_agent && agentName(customer.assigned_agent)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Listed>
    </Former>
  );
}

function emptyWords(query: string, unread: boolean): string {
  if (query !== '') return `No customer is found for “${query}”.`;
  return unread ? 'There is no unread message.' : 'There are no customers yet.';
}
