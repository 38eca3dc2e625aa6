import { ActionIcon } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef } from 'react';
import classes from './drawer.module.css';

interface BesideProps {
  /** Stays where it is while the list scrolls. */
  header?: ReactNode;
  children: ReactNode;
  drawer: ReactNode;
}

/** A list, and beside it the thing in focus, so that nobody loses their place; on a small screen over it. */
export const Beside = ({ header, children, drawer }: BesideProps) => (
  <div className={classes.beside} data-open={Boolean(drawer) || undefined}>
    <div className={classes.pane}>
      {header}
      <div className={classes.list}>{children}</div>
    </div>
    {drawer}
  </div>
);

interface DrawerProps {
  title: ReactNode;
  /** What it is about, for who cannot see it. */
  label: string;
  close(): void;
  children: ReactNode;
}

/** Takes the focus when it opens and gives it back when it closes, unless somebody has gone on from it. */
export function Drawer({ title, label, close, children }: DrawerProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    // A field within it may have taken it already.
    if (!panel.current?.contains(before)) panel.current?.focus({ preventScroll: true });
    return () => {
      if (document.activeElement !== document.body) return;
      const isThere = before instanceof HTMLElement && before !== document.body && before.isConnected;
      (isThere ? before : document.getElementById('content'))?.focus({ preventScroll: true });
    };
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.stopPropagation();
    close();
  };
  useEscapeElsewhere(panel, close);
  useKeptFocus(panel);
  return (
    <aside className={classes.drawer} ref={panel} tabIndex={-1} aria-label={label} onKeyDown={onKeyDown}>
      <header className={classes.header}>
        <h2 className={classes.title}>{title}</h2>
        <ActionIcon variant="subtle" color="gray" onClick={close} aria-label="Close">
          <IconX size={18} />
        </ActionIcon>
      </header>
      <div className={classes.body}>{children}</div>
    </aside>
  );
}

/** What goes away or is disabled while it has the focus leaves it to the drawer: nobody falls out of where they are. */
function useKeptFocus(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const drawer = panel.current;
    if (!drawer) return;
    let held: Element | null = null;
    const onFocus = ({ target }: FocusEvent) => {
      held = target instanceof Element && drawer.contains(target) ? target : null;
    };
    const changes = new MutationObserver(() => {
      const { activeElement } = document;
      const isLost = held !== null && (!held.isConnected || held.matches(':disabled'));
      if (isLost && (activeElement === document.body || activeElement === held)) drawer.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', onFocus);
    changes.observe(drawer, { childList: true, subtree: true, attributeFilter: ['disabled'] });
    return () => {
      document.removeEventListener('focusin', onFocus);
      changes.disconnect();
    };
  }, [panel]);
}

const opened: object[] = [];

/** Escape closes the drawer that was opened last, wherever the focus is but for what closes itself. */
function useEscapeElsewhere(panel: RefObject<HTMLElement | null>, close: () => void): void {
  const closeNow = useRef(close);
  useEffect(() => {
    closeNow.current = close;
  });
  useEffect(() => {
    opened.push(panel);
    const onKeyDown = ({ key, defaultPrevented, target }: globalThis.KeyboardEvent) => {
      const isTheirs = target instanceof Element && target.closest('[role="dialog"]') !== null;
      if (key === 'Escape' && !defaultPrevented && !isTheirs && opened.at(-1) === panel) closeNow.current();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('keydown', onKeyDown);
      opened.splice(opened.indexOf(panel), 1);
    };
  }, [panel]);
}
