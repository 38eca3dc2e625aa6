import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconCalendarDue, IconChecklist, IconSearch, IconUser, IconUserPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import type { Customer, FoundCommunication, QueuedRenewal, Task, Unmatched } from '../api/types.ts';
import { customerSearchQuery } from '../customers/customer-queries.ts';
import { ChannelIcon } from '../parts/channels.tsx';
import { dayOf } from '../parts/dates.tsx';
import { useServiceNames } from '../renewals/service-types.ts';
import { isEnough, messagesQuery, renewalsQuery, sendersQuery, tasksQuery } from '../search/search-queries.ts';
import { placeOf, renewalHint, renewalLabel, taskHint, whoseWords } from '../search/search-words.ts';
import { Snippet } from '../search/snippet.tsx';
import { useMe } from '../session/session.ts';
import { titleOf } from '../tasks/task-title.ts';
import { onceASender, senderAddress } from '../unmatched/unmatched.ts';
import { type FoundPage, pagesNamed } from './pages.ts';
import classes from './quick-search.module.css';

const opening = 'quick-search';
export const openQuickSearch = (): boolean => document.dispatchEvent(new Event(opening));

interface Hit {
  key: string;
  label: string;
  hint?: ReactNode;
  icon: ReactNode;
  go(): void;
}

/** Customers, renewals, tasks, what was said, and the pages; opened by `/` or Ctrl-K from anywhere. */
export function QuickSearch() {
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([
    ['/', open],
    ['mod+K', open],
  ]);
  useEffect(() => {
    document.addEventListener(opening, open);
    return () => document.removeEventListener(opening, open);
  }, [open]);
  return (
    <Modal.Root
      opened={isOpen}
      onClose={close}
      padding="sm"
      size="lg"
      yOffset="12vh"
      transitionProps={{ duration: 0 }}
      returnFocus={false}
      // The page never scrolls, its parts do; and the element of style that holds it still would be refused.
      lockScroll={false}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Search" bg="var(--surface)">
        <Modal.Body>
          <Search close={close} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ close }: { close(): void }) {
  const [text, setText] = useState('');
  /** The key of the hit that was moved to; the first one stands out until then. */
  const [at, setAt] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  // At once, and not when the dialogue comes to it: what is typed right after `/` is typed here.
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    field.current?.focus();
    return () => before?.focus({ preventScroll: true });
  }, []);
  const { hits, isSettled, failed } = useHits(text.trim(), close);
  const moved = hits.findIndex(({ key }) => key === at);
  const chosen = Math.max(moved, 0);
  const [isWaiting, setWaiting] = useState(false);
  useEffect(() => {
    if (!isWaiting || !isSettled) return;
    setWaiting(false);
    hits[0]?.go();
  }, [isWaiting, isSettled, hits]);
  /** Whoever types fast and presses Enter means what they typed, and not what was found before. */
  const enter = () => (isSettled || moved !== -1 ? hits[chosen]?.go() : setWaiting(true));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt(hits[(chosen + step + hits.length) % Math.max(hits.length, 1)]?.key);
    else if (event.key === 'Enter') enter();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        ref={field}
        data-autofocus
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(undefined);
          setWaiting(false);
        }}
        onKeyDown={onKeyDown}
        leftSection={<IconSearch size={16} />}
        placeholder="A customer, number or address; a policy; words of a message; or a page"
        aria-label="Search everything"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="search-hits"
        aria-activedescendant={hits[chosen] && `hit-${chosen}`}
        autoComplete="off"
      />
      <Found hits={hits} chosen={chosen} isSettled={isSettled} pointAt={setAt} />
      {failed.map((words) => (
        <p key={words} className={classes.nothing} role="alert">
          {words}
        </p>
      ))}
      {failed.length === 0 && isSettled && text !== '' && hits.every(({ key }) => key === newCustomer) && (
        <p className={classes.nothing}>Nothing found for “{text}”.</p>
      )}
    </>
  );
}

interface FoundProps extends Omit<Hits, 'failed'> {
  chosen: number;
  pointAt(key: string): void;
}

const Found = ({ hits, chosen, isSettled, pointAt }: FoundProps) => (
  <div id="search-hits" role="listbox" aria-label="Found" aria-busy={!isSettled} className={classes.hits}>
    {hits.map((hit, n) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
      <div
        key={hit.key}
        id={`hit-${n}`}
        role="option"
        tabIndex={-1}
        aria-selected={n === chosen}
        className={classes.hit}
        onClick={hit.go}
        onMouseMove={() => pointAt(hit.key)}
      >
        {hit.icon}
        <span className={classes.label}>{hit.label}</span>
        {hit.hint && <span className={classes.hint}>{hit.hint}</span>}
      </div>
    ))}
  </div>
);

const newCustomer = 'create';

interface Hits {
  hits: Hit[];
  /** False while these are those of what was typed before. */
  isSettled: boolean;
  /** What could not be searched, and why. */
  failed: readonly string[];
}

const fewOfEach = 4;

function useHits(text: string, close: () => void): Hits {
  const [query] = useDebouncedValue(text, 120);
  const customers = useQuery(customerSearchQuery(query));
  const parts = {
    Renewals: useInfiniteQuery(renewalsQuery(query, fewOfEach)),
    Tasks: useInfiniteQuery(tasksQuery(query, fewOfEach)),
    Senders: useInfiniteQuery({ ...sendersQuery(query, fewOfEach), select: onceASender }),
    Messages: useInfiniteQuery(messagesQuery(query, fewOfEach)),
  };
  const asked = isEnough(query) ? { Customers: customers, ...parts } : { Customers: customers };
  const isSettled =
    text === '' || (query === text && Object.values(asked).every((one) => !one.isPending && !one.isPlaceholderData));
  const failed = Object.entries(asked).flatMap(([what, { error }]) =>
    error && isSettled ? [`${what} could not be searched. ${asProblem(error).message}`] : [],
  );
  const isAdmin = useMe().role === 'admin';
  const hitOf = useHitsOf(close);
  const found = text === '' ? [] : (customers.data ?? []).map(hitOf.customer);
  const named = pagesNamed(text, isAdmin).map(hitOf.page);
  const create = text === '' ? [] : [hitOf.somebodyNew(text)];
  if (!isEnough(text)) return { hits: [...found, ...named, ...create], isSettled, failed };
  const { Renewals: renewals, Tasks: tasks, Senders: senders, Messages: messages } = parts;
  const hits = [
    ...found,
    ...named,
    ...itemsOf(renewals).map(hitOf.renewal),
    ...itemsOf(tasks).map(hitOf.task),
    ...itemsOf(senders).map(hitOf.sender),
    ...itemsOf(messages).map(hitOf.message),
  ];
  const all = hits.length > 0 || !isSettled ? [hitOf.all(text)] : [];
  return { hits: [...hits, ...all, ...create], isSettled, failed };
}

const itemsOf = <T,>({ data }: { data: { pages: { data: T[] }[] } | undefined }): T[] =>
  data?.pages.flatMap((page) => page.data) ?? [];

/** How each thing looks among the hits, and where it is. */
function useHitsOf(close: () => void) {
  const navigate = useNavigate();
  const nameOf = useServiceNames();
  const goTo = (go: () => unknown) => () => {
    close();
    go();
  };
  return {
    customer: ({ id, name, phones, emails, archived_at }: Customer): Hit => ({
      key: id,
      label: name,
      hint: [archived_at && 'former customer', id, phones[0] ?? emails[0]].filter(Boolean).join(' · '),
      icon: <IconUser size={16} aria-hidden />,
      go: goTo(() => navigate({ to: '/customers/$id', params: { id } })),
    }),
    page: ({ label, icon: Icon, to, within }: FoundPage): Hit => ({
      key: to,
      label,
      hint: within,
      icon: <Icon size={16} aria-hidden />,
      go: goTo(() => navigate({ to })),
    }),
    renewal: (renewal: QueuedRenewal): Hit => ({
      key: renewal.id,
      label: renewalLabel(renewal, nameOf),
      hint: renewalHint(renewal),
      icon: <IconCalendarDue size={16} aria-hidden />,
      go: goTo(() =>
        navigate({
          to: '/customers/$id',
          params: { id: renewal.customer_id },
          search: { tab: 'renewals', renewal: renewal.id },
        }),
      ),
    }),
    task: (task: Task): Hit => ({
      key: task.id,
      label: titleOf(task),
      hint: taskHint(task),
      icon: <IconChecklist size={16} aria-hidden />,
      go: goTo(() => navigate({ to: '/tasks', search: { view: 'all', task: task.id } })),
    }),
    sender: (message: Unmatched): Hit => ({
      key: `from-${message.id}`,
      label: message.sender.name ?? senderAddress(message),
      hint: `${senderAddress(message)} · not known yet`,
      icon: <ChannelIcon type={message.type} />,
      go: goTo(() => navigate({ to: '/unmatched', search: { message: message.id } })),
    }),
    message: (found: FoundCommunication): Hit => ({
      key: found.id,
      label: whoseWords(found),
      hint: (
        <>
          {dayOf(found.occurred_at.slice(0, 10))}: <Snippet pieces={found.snippet} />
        </>
      ),
      icon: <ChannelIcon type={found.type} />,
      go: goTo(() => navigate(placeOf(found))),
    }),
    /** The last: whoever is found is meant before. */
    somebodyNew: (name: string): Hit => ({
      key: newCustomer,
      label: `Create customer “${name}”`,
      icon: <IconUserPlus size={16} aria-hidden />,
      go: goTo(() => navigate({ to: '/customers', search: { create: name } })),
    }),
    all: (q: string): Hit => ({
      key: 'all',
      label: `All that is found for “${q}”`,
      icon: <IconSearch size={16} aria-hidden />,
      go: goTo(() => navigate({ to: '/search', search: { q } })),
    }),
  };
}
