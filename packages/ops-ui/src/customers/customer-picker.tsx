import { Select, type SelectProps, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type Ref, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Customer } from '../api/types.ts';
import { customerQuery, customerSearchQuery } from './customer-queries.ts';

interface CustomerPickerProps extends Pick<SelectProps, 'label' | 'error'> {
  /** Null: nobody yet. */
  value: string | null;
  onPick(customer: Customer): void;
  ref?: Ref<HTMLInputElement>;
}

/** One customer of all there are, found by what one knows of them. */
export function CustomerPicker({ value, onPick, ...rest }: CustomerPickerProps) {
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), 120);
  const { data, error, isPending, isPlaceholderData } = useQuery(customerSearchQuery(query));
  // What was found for something else is nothing to choose from: Enter takes the first one.
  const isSettled = query === text.trim() && !isPending && !isPlaceholderData;
  const found = isSettled && data ? data : [];
  const { data: picked } = useQuery({ ...customerQuery(value ?? ''), enabled: value !== null });
  const customers = [...found, ...(picked && !found.some(({ id }) => id === picked.id) ? [picked] : [])];
  return (
    <Select
      {...rest}
      searchable
      value={value}
      searchValue={text}
      onSearchChange={setText}
      data={customers.map(({ id, name }) => ({ value: id, label: name }))}
      // The service has searched by then, in more than the name.
      filter={({ options }) => options}
      renderOption={({ option }) => <Found customer={customers.find(({ id }) => id === option.value)} />}
      onChange={(id) => {
        const customer = customers.find((one) => one.id === id);
        if (customer) onPick(customer);
      }}
      onKeyDown={keepEscape}
      // What is found belongs to where it is looked for.
      comboboxProps={{ withinPortal: false }}
      nothingFoundMessage={isSettled ? (error ? asProblem(error).message : 'Nobody is found.') : undefined}
      placeholder="Name, id, number or address"
      allowDeselect={false}
    />
  );
}

/** It closes the list alone, and nothing around it. */
function keepEscape(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Escape' && event.currentTarget.getAttribute('aria-expanded') === 'true') event.stopPropagation();
}

const Found = ({ customer }: { customer: Customer | undefined }) =>
  customer && (
    <span>
      {customer.name}
      <Text component="span" size="xs" c="var(--text-quiet)" display="block">
        {[customer.archived_at && 'former customer', customer.id, customer.phones[0] ?? customer.emails[0]]
          .filter(Boolean)
          .join(' · ')}
      </Text>
    </span>
  );
