import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef } from 'react';
import type { Customer } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { channelNames } from '../parts/channels.tsx';
import { Beside } from '../parts/drawer.tsx';
import { Former } from '../parts/former.tsx';
import { KeyHelp, type Keys } from '../parts/key-help.tsx';
import { Listed } from '../parts/listed.tsx';
import { PageHeader } from '../parts/page-header.tsx';
import table from '../parts/table.module.css';
import { UnreadBadge } from '../parts/unread-badge.tsx';
import { selectionKeys, useSelection } from '../parts/use-selection.ts';
import { customersQuery, type Which } from './customer-queries.ts';
import { CustomersInBulk } from './customers-in-bulk.tsx';
import type { CustomersSearch } from './customers-search.ts';
import { FormerMark } from './former-mark.tsx';

const route = getRouteApi('/customers');
const NewCustomerDrawer = lazy(async () => ({
  default: (await import('./new-customer-drawer.tsx')).NewCustomerDrawer,
}));

const customersKeys: Keys = [...selectionKeys, ['c', 'create a customer']];

export function CustomersPage() {
  const { query = '', create, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const open = () => navigate({ search: (before) => ({ ...before, create: true }) });
  useHotkeys([['c', open]]);
  return (
    <Beside
      header={<Header />}
      drawer={
        create && (
          <Suspense fallback={null}>
            <NewCustomerDrawer
              key={String(create)}
              typed={create === true ? undefined : create}
              made={(id) => navigate({ to: '/customers/$id', params: { id }, search: {} })}
              close={() => navigate({ search: (before) => ({ ...before, create: undefined }) })}
            />
          </Suspense>
        )
      }
    >
      <Customers query={query} which={whichOf(search)} />
      <KeyHelp own={customersKeys} />
    </Beside>
  );
}

function Header() {
  const { query = '', ...shown } = route.useSearch();
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
            value={whichOf(shown) ?? 'all'}
            onChange={(value) =>
              navigate({
                search: ({ unread: _, archived: __, ...before }) => ({
                  ...before,
                  ...(value !== 'all' && { [value]: true as const }),
                }),
              })
            }
            data={[
              { value: 'all', label: 'All' },
              { value: 'unread', label: 'Unread' },
              { value: 'archived', label: 'Former' },
            ]}
            aria-label="Which customers"
          />
        </>
      }
      action={
        <>
          <Button renderRoot={(props) => <Link to="/import/customers" {...props} />} variant="default">
            Import
          </Button>
          <Button
            leftSection={<IconPlus size={16} />}
            renderRoot={(props) => (
              <Link to="/customers" search={(before) => ({ ...before, create: true as const })} {...props} />
            )}
          >
            New customer
          </Button>
        </>
      }
    />
  );
}

const whichOf = ({ unread, archived }: CustomersSearch): Which | undefined =>
  unread ? 'unread' : archived && 'archived';

function Customers({ query, which }: { query: string; which: Which | undefined }) {
  const list = useInfiniteQuery(customersQuery(query, which));
  const box = useRef<HTMLDivElement>(null);
  const customers = list.data?.pages.flatMap((page) => page.data) ?? [];
  const { selected, select, chosen, clear, backToRow } = useSelection(box, customers);
  return (
    <Former isFormer={list.isPlaceholderData}>
      <CustomersInBulk customers={chosen} clear={clear} backToRow={backToRow} />
      <div ref={box}>
        <Listed query={list} empty={emptyWords(query, which)} skeleton={{ rows: 10 }}>
          {(all) => (
            <table className={table.table}>
              <thead>
                <tr>
                  <th>
                    <span className="visually-hidden">Selected</span>
                  </th>
                  <th>Customer</th>
                  <th>Id</th>
                  <th>Phone</th>
                  <th>E-mail</th>
                  <th>Prefers</th>
                  <th>Agent</th>
                </tr>
              </thead>
              <tbody>
                {all.map((customer) => (
                  <Row key={customer.id} customer={customer} isSelected={selected.has(customer.id)} select={select} />
                ))}
              </tbody>
            </table>
          )}
        </Listed>
      </div>
    </Former>
  );
}

interface RowProps {
  customer: Customer;
  isSelected: boolean;
  select(id: string, isSelected: boolean): void;
}

function Row({ customer, isSelected, select }: RowProps) {
  const agentName = useAgentNames();
  const { id, name, phones, emails, preferred_channel, assigned_agent } = customer;
  return (
    <tr data-row={id}>
      <td>
        <input
          type="checkbox"
          checked={isSelected}
          onChange={({ currentTarget }) => select(id, currentTarget.checked)}
          aria-label={`Select ${name}`}
        />
      </td>
      <td data-label="Customer">
        <Link to="/customers/$id" params={{ id }} className={table.main} data-opens>
          {name}
        </Link>{' '}
        <FormerMark since={customer.archived_at} /> <UnreadBadge count={customer.unread_count} />
      </td>
      <td data-label="Id">{id}</td>
      <td data-label="Phone">{phones[0]}</td>
      <td data-label="E-mail">{emails[0]}</td>
      <td data-label="Prefers">{preferred_channel && channelNames[preferred_channel]}</td>
      <td data-label="Agent">{assigned_agent && agentName(assigned_agent)}</td>
    </tr>
  );
}

function emptyWords(query: string, which: Which | undefined): string {
  if (query !== '') return `No customer is found for “${query}”.`;
  if (which === 'archived') return 'Nobody is a former customer.';
  return which === 'unread' ? 'There is no unread message.' : 'There are no customers yet.';
}
