import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure, useHotkeys } from '@mantine/hooks';
import { IconSearch, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { asProblem } from '../api/problem.ts';
import { customerSearchQuery } from '../customers/customer-queries.ts';
import { pages } from './pages.ts';
import classes from './quick-search.module.css';

const opening = 'quick-search';
export const openQuickSearch = (): boolean => document.dispatchEvent(new Event(opening));

interface Hit {
  key: string;
  label: string;
  hint?: string;
  icon: ReactNode;
  go(): void;
}

/** Customers by name, id, number or address, and the pages; opened by `/` from anywhere. */
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
  const { hits, isSettled, error } = useHits(text.trim(), close);
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
        placeholder="A customer’s name, id, number or address; or a page"
        aria-label="Search customers and pages"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls="search-hits"
        aria-activedescendant={hits[chosen] && `hit-${chosen}`}
        autoComplete="off"
      />
      <Found hits={hits} chosen={chosen} isSettled={isSettled} pointAt={setAt} />
      {error && (
        <p className={classes.nothing} role="alert">
          Customers could not be searched. {error.message}
        </p>
      )}
      {!error && isSettled && text !== '' && hits.length === 0 && (
        <p className={classes.nothing}>Nothing found for “{text}”.</p>
      )}
    </>
  );
}

interface FoundProps extends Omit<Hits, 'error'> {
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

interface Hits {
  hits: Hit[];
  /** False while these are those of what was typed before. */
  isSettled: boolean;
  error: Error | null;
}

function useHits(text: string, close: () => void): Hits {
  const navigate = useNavigate();
  const [query] = useDebouncedValue(text, 120);
  const { data: customers = [], error, isPending, isPlaceholderData } = useQuery(customerSearchQuery(query));
  const goTo = (go: () => unknown) => () => {
    close();
    go();
  };
  const named = pages.filter(({ label }) => label.toLowerCase().startsWith(text.toLowerCase()));
  const hits = [
    ...(text === '' ? [] : customers).map(
      (customer): Hit => ({
        key: customer.id,
        label: customer.name,
        hint: [customer.id, customer.phones[0] ?? customer.emails[0]].filter(Boolean).join(' · '),
        icon: <IconUser size={16} aria-hidden />,
        go: goTo(() => navigate({ to: '/customers/$id', params: { id: customer.id } })),
      }),
    ),
    ...named.map(
      ({ label, icon: Icon, to }): Hit => ({
        key: to,
        label,
        icon: <Icon size={16} aria-hidden />,
        go: goTo(() => navigate({ to })),
      }),
    ),
  ];
  const isSettled = text === '' || (query === text && !isPending && !isPlaceholderData);
  return { hits, isSettled, error: error && isSettled ? asProblem(error) : null };
}
