import { Button, CloseButton, Group, TextInput } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import classes from './composer.module.css';

interface Pickable {
  key: string;
  title: string;
  /** Found by these as well. */
  body?: string;
}

interface PickListProps<T extends Pickable> {
  label: string;
  /** What the field is for. */
  find: string;
  leave: string;
  all: readonly T[];
  take(one: T): void;
  close(): void;
  /** Of the one that Enter takes, if any is found. */
  below(here: T | undefined): ReactNode;
}

/** One of several, found by typing and taken by the keyboard or a click. */
export function PickList<T extends Pickable>({ label, find, leave, all, take, close, below }: PickListProps<T>) {
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const found = all.filter(({ title, body = '' }) => has(`${title} ${body}`, query));
  const here = Math.min(at, Math.max(0, found.length - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(found.length - 1, here + step)));
    else if (event.key === 'Enter') found[here] && take(found[here]);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={classes.canned} role="dialog" aria-label={label}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          value={query}
          onChange={({ currentTarget }) => setQuery(currentTarget.value)}
          onKeyDown={onKeyDown}
          placeholder={find}
          aria-label={find}
          autoFocus
        />
        <CloseButton size="sm" onClick={close} aria-label={leave} />
      </Group>
      <ul>
        {found.map((one, n) => (
          <li key={one.key} data-here={n === here || undefined}>
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => take(one)}>
              {one.title}
            </Button>
          </li>
        ))}
      </ul>
      {below(found[here])}
    </div>
  );
}

const has = (text: string, query: string) => text.toLocaleLowerCase().includes(query.trim().toLocaleLowerCase());
