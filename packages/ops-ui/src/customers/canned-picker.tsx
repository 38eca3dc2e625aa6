import { Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import type { Customer } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { customerRenewalsQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { useMe } from '../session/session.ts';
import { type CannedFacts, filledIn, hasGap } from './canned.ts';
import { cannedQuery } from './canned-queries.ts';
import classes from './composer.module.css';

interface PickerProps {
  customer: Customer;
  take(words: string): void;
  close(): void;
}

/** Words that are written again and again, as they would stand for this customer. */
export function CannedPicker({ customer, take, close }: PickerProps) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const facts = useFacts(customer);
  const found = useReplies().filter(({ title, body }) => has(`${title} ${body}`, query));
  const here = Math.min(at, Math.max(0, found.length - 1));
  const choose = (body: string) => take(filledIn(body, facts));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(found.length - 1, here + step)));
    else if (event.key === 'Enter') found[here] && choose(found[here].body);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={classes.canned} role="dialog" aria-label="Replies">
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          value={query}
          onChange={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={onKeyDown}
          placeholder="Find a reply"
          aria-label="Find a reply"
          autoFocus
        />
        <CloseButton size="sm" onClick={close} aria-label="No reply" />
      </Group>
      <ul>
        {found.map(({ key, title, body }, n) => (
          <li key={key} data-here={n === here || undefined}>
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => choose(body)}>
              {title}
            </Button>
          </li>
        ))}
      </ul>
      {found[here] ? <Preview words={filledIn(found[here].body, facts)} /> : <Nothing />}
    </div>
  );
}

const Preview = ({ words }: { words: string }) => (
  <Text size="sm" className={classes.preview} aria-label="As it would stand">
    {words}
    {hasGap(words) && (
      <Text span size="xs" c="var(--urgency-overdue-text)" display="block">
        Something in it is not known: fill the gap before you send it.
      </Text>
    )}
  </Text>
);

const Nothing = () => (
  <Text size="sm">
    No such reply. <Link to="/settings/replies">Write one in Settings</Link>
  </Text>
);

const has = (text: string, query: string) => text.toLocaleLowerCase().includes(query.trim().toLocaleLowerCase());

/** One's own first. */
function useReplies() {
  const own = useQuery(cannedQuery('own'));
  const shared = useQuery(cannedQuery('shared'));
  return [own, shared].flatMap(({ data }) =>
    (data?.replies ?? []).map((reply, n) => ({ ...reply, key: `${data?.scope}${n}` })),
  );
}

function useFacts({ id, name }: Customer): CannedFacts {
  const me = useMe();
  const nameOf = useServiceNames();
  const { data } = useInfiniteQuery(customerRenewalsQuery(id));
  const next = data?.pages.flatMap((page) => page.data).find(isOpen);
  return {
    customer_name: name,
    agent_name: me.name ?? me.sub,
    next_service: next ? nameOf(next.service_type) : null,
    next_due_date: next ? dayOf(next.due_date) : null,
  };
}
