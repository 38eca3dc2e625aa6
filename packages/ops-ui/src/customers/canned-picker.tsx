import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Customer } from '../api/types.ts';
import { dayOf } from '../parts/dates.tsx';
import { customerRenewalsQuery } from '../renewals/renewal-queries.ts';
import { isOpen } from '../renewals/renewal-words.ts';
import { useServiceNames } from '../renewals/service-types.ts';
import { useMe } from '../session/session.ts';
import { type CannedFacts, filledIn, hasGap } from './canned.ts';
import { cannedQuery } from './canned-queries.ts';
import classes from './composer.module.css';
import { PickList } from './pick-list.tsx';

interface PickerProps {
  customer: Customer;
  take(words: string): void;
  close(): void;
}

/** Words that are written again and again, as they would stand for this customer. */
export function CannedPicker({ customer, take, close }: PickerProps) {
  const facts = useFacts(customer);
  return (
    <PickList
      label="Replies"
      find="Find a reply"
      leave="No reply"
      all={useReplies()}
      take={({ body }) => take(filledIn(body, facts))}
      close={close}
      below={(here) => (here ? <Preview words={filledIn(here.body, facts)} /> : <Nothing />)}
    />
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
