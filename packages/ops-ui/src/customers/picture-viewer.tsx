import { ActionIcon } from '@mantine/core';
import {
  IconChevronLeft,
  IconChevronRight,
  IconDownload,
  IconX,
  IconZoomIn,
  IconZoomOut,
  IconZoomReset,
} from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import classes from './picture-viewer.module.css';
import { leastZoom, mostZoom, zoomedBy } from './zoom.ts';

export interface Viewed {
  href: string;
  name: string;
}

interface ViewerProps {
  all: readonly Viewed[];
  first: string;
  close(): void;
}

const panPx = 80;
const pans: Readonly<Record<string, readonly [left: number, top: number]>> = {
  ArrowLeft: [-panPx, 0],
  ArrowRight: [panPx, 0],
  ArrowUp: [0, -panPx],
  ArrowDown: [0, panPx],
};
const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/**
 * One picture over the page, which the browser itself holds still and out of reach meanwhile. Arrows go to the others, or over
 * a picture that is larger than its room; Escape goes back.
 */
export default function PictureViewer({ all, first, close }: ViewerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(leastZoom);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      all.findIndex(({ href }) => href === first),
    ),
  );
  useLayoutEffect(() => {
    dialog.current?.showModal();
    dialog.current?.focus();
  }, []);
  // What grows does so around its middle.
  useLayoutEffect(() => {
    const room = stage.current;
    if (zoom === leastZoom || !room) return;
    room.scrollTo((room.scrollWidth - room.clientWidth) / 2, (room.scrollHeight - room.clientHeight) / 2);
  }, [zoom]);
  const go = (step: number) => {
    setAt(Math.max(0, Math.min(all.length - 1, at + step)));
    setZoom(leastZoom);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of the page behind it mean nothing here.
    event.stopPropagation();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const zoomed = zoomedBy(key, zoom);
    const [left, top] = (zoom > leastZoom && pans[key]) || [0, 0];
    const step = steps[key];
    if (zoomed !== undefined) setZoom(zoomed);
    else if (left !== 0 || top !== 0) stage.current?.scrollBy({ left, top });
    else if (step !== undefined) go(step);
    else return;
    event.preventDefault();
  };
  const shown = all[at];
  if (!shown) return null;
  const size = `${zoom * 100}%`;
  return createPortal(
    <dialog
      ref={dialog}
      className={classes.viewer}
      aria-label={shown.name}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onClose={close}
    >
      <Bar
        picture={shown}
        at={at}
        of={all.length}
        zoom={zoom}
        go={go}
        setZoom={setZoom}
        close={() => dialog.current?.close()}
      />
      <div
        ref={stage}
        className={classes.stage}
        // What is larger than its room scrolls, also by keyboard.
        {...(zoom > leastZoom && { tabIndex: 0, role: 'group', 'aria-label': 'The picture, larger than its room' })}
      >
        <img src={shown.href} alt={shown.name} style={{ width: size, height: size }} />
      </div>
    </dialog>,
    document.body,
  );
}

interface BarProps {
  picture: Viewed;
  at: number;
  of: number;
  zoom: number;
  go(step: number): void;
  setZoom(zoom: number): void;
  close(): void;
}

const Bar = ({ picture, at, of, zoom, go, setZoom, close }: BarProps) => (
  <header className={classes.bar}>
    <p className={classes.name} role="status">
      {picture.name}, {at + 1} of {of}
    </p>
    <Act label="Previous" isOff={at === 0} act={() => go(-1)}>
      <IconChevronLeft size={18} />
    </Act>
    <Act label="Next" isOff={at === of - 1} act={() => go(1)}>
      <IconChevronRight size={18} />
    </Act>
    <Act label="Smaller" isOff={zoom === leastZoom} act={() => setZoom(zoomedBy('-', zoom) ?? zoom)}>
      <IconZoomOut size={18} />
    </Act>
    <Act label="All of it" isOff={zoom === leastZoom} act={() => setZoom(leastZoom)}>
      <IconZoomReset size={18} />
    </Act>
    <Act label="Larger" isOff={zoom === mostZoom} act={() => setZoom(zoomedBy('+', zoom) ?? zoom)}>
      <IconZoomIn size={18} />
    </Act>
    <ActionIcon component="a" href={picture.href} download variant="subtle" color="gray" aria-label="Download">
      <IconDownload size={18} />
    </ActionIcon>
    <Act label="Close" isOff={false} act={close}>
      <IconX size={18} />
    </Act>
  </header>
);

interface ActProps {
  label: string;
  /** There is nothing more in that direction. It keeps the focus: keys go on working. */
  isOff: boolean;
  act(): void;
  children: ReactNode;
}

const Act = ({ label, isOff, act, children }: ActProps) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={label}
    title={label}
    aria-disabled={isOff || undefined}
    data-disabled={isOff || undefined}
    onClick={() => isOff || act()}
  >
    {children}
  </ActionIcon>
);
