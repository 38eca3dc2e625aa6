import { Anchor, CloseButton, Portal, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, useRef, useState } from 'react';
import type { Attachment } from '../api/types.ts';
import { takeFocus } from '../parts/take-focus.ts';
import classes from './attached.module.css';
import { sizeOf } from './size-words.ts';

const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const bareType = ({ media_type }: Attachment) => (media_type.split(';')[0] ?? '').trim().toLowerCase();
const address = ({ id }: Attachment) => `/ops/attachments/${id}`;

/** A picture where it stands, a recording to be played, anything else to be saved; the service says what a browser may show. */
export function AttachedFile({ file }: { file: Attachment }) {
  const [isShown, setIsShown] = useState(true);
  if (file.state !== 'STORED') return <NotThere file={file} />;
  const cannot = () => setIsShown(false);
  if (isShown && pictures.includes(bareType(file))) return <Picture file={file} cannot={cannot} />;
  if (isShown && bareType(file).startsWith('audio/')) return <Recording file={file} cannot={cannot} />;
  return <FileLink file={file} />;
}

const FileLink = ({ file }: { file: Attachment }) => (
  <Anchor className={classes.file} href={address(file)} target="_blank" rel="noreferrer" size="sm">
    <IconPaperclip size={14} aria-hidden /> {nameOf(file)}
    {file.size !== null && ` (${sizeOf(file.size)})`}
  </Anchor>
);

const nameOf = ({ name }: Attachment) => name ?? 'A file without a name';

const NotThere = ({ file }: { file: Attachment }) => (
  <Text size="sm" className={classes.file}>
    <IconPaperclip size={14} aria-hidden /> {nameOf(file)}:{' '}
    {file.failure?.message ?? fileStates[file.state as keyof typeof fileStates]}
  </Text>
);

const fileStates = {
  PENDING: 'is being fetched',
  FAILED: 'could not be fetched',
  REDACTED: 'was removed when its time of keeping was over',
} as const;

interface ShownProps {
  file: Attachment;
  /** It is no such file after all. */
  cannot(): void;
}

const Recording = ({ file, cannot }: ShownProps) => (
  <div>
    {/* biome-ignore lint/a11y/useMediaCaption: nobody wrote down what a customer said */}
    <audio className={classes.recording} controls preload="none" src={address(file)} onError={cannot} />
    <FileLink file={file} />
  </div>
);

/** Its room is kept before it is there, so that the log does not move. */
function Picture({ file, cannot }: ShownProps) {
  const [viewed, setViewed] = useState<readonly Viewed[]>();
  const link = useRef<HTMLAnchorElement>(null);
  const close = () => {
    setViewed(undefined);
    link.current?.focus();
  };
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setViewed(allOf(event.currentTarget));
  };
  return (
    <>
      <a
        ref={link}
        className={classes.picture}
        href={address(file)}
        target="_blank"
        rel="noreferrer"
        onClick={open}
        data-picture={file.name ?? 'Picture'}
      >
        <img src={address(file)} alt={file.name ?? 'Picture'} loading="lazy" onError={cannot} />
      </a>
      {viewed && (
        <Portal>
          <Viewer all={viewed} first={address(file)} close={close} />
        </Portal>
      )}
    </>
  );
}

interface Viewed {
  href: string;
  name: string;
}

/** Every picture of the log this one is in, in its order. */
function allOf(link: HTMLElement): Viewed[] {
  const log = link.closest('[role="log"]') ?? link.parentElement;
  return [...(log?.querySelectorAll<HTMLElement>('[data-picture]') ?? [])].map((one) => ({
    href: one.getAttribute('href') ?? '',
    name: one.dataset.picture ?? '',
  }));
}

interface ViewerProps {
  all: readonly Viewed[];
  first: string;
  close(): void;
}

/** One picture over the page; arrows go to the others, Escape back. */
function Viewer({ all, first, close }: ViewerProps) {
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      all.findIndex(({ href }) => href === first),
    ),
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) setAt(Math.max(0, Math.min(all.length - 1, at + step)));
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const shown = all[at];
  if (!shown) return null;
  return (
    <div
      className={classes.viewer}
      role="dialog"
      aria-modal
      aria-label={shown.name}
      tabIndex={-1}
      ref={takeFocus}
      onKeyDown={onKeyDown}
    >
      <p>
        {shown.name}, {at + 1} of {all.length}
        <CloseButton onClick={close} aria-label="Close" />
      </p>
      <img src={shown.href} alt={shown.name} />
    </div>
  );
}
