import { ActionIcon, Anchor, Text } from '@mantine/core';
import { IconDownload, IconPaperclip, IconPhoto } from '@tabler/icons-react';
import { lazy, type MouseEvent, type ReactNode, Suspense, useContext, useRef, useState } from 'react';
import type { Attachment } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import classes from './attached.module.css';
import type { Viewed } from './picture-viewer.tsx';
import { ShowFile } from './show-file.ts';
import { sizeOf } from './size-words.ts';

const PictureViewer = lazy(() => import('./picture-viewer.tsx'));
const pictures = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const bareType = ({ media_type }: Attachment) => (media_type.split(';')[0] ?? '').trim().toLowerCase();
export const addressOf = ({ id }: Attachment) => `/ops/attachments/${id}`;

interface FileProps {
  file: Attachment;
  /** When it came or went. */
  at: string;
}

/** A picture where it stands, a recording to be played, a PDF beside, anything else to be saved; the service says what a browser may show. */
export function AttachedFile({ file, at }: FileProps) {
  const [isShown, setIsShown] = useState(true);
  if (file.state !== 'STORED') return <NotThere file={file} />;
  const cannot = () => setIsShown(false);
  if (isShown && isPicture(file)) return <Picture file={file} at={at} cannot={cannot} />;
  if (isShown && bareType(file).startsWith('audio/')) return <Recording file={file} cannot={cannot} />;
  return <FileLink file={file} />;
}

/** The same in one line of a list. */
export function ListedFile({ file, at }: FileProps) {
  if (file.state !== 'STORED') return <NotThere file={file} />;
  if (!isPicture(file)) return <FileLink file={file} />;
  return (
    <ViewerLink className={classes.file} file={file} at={at}>
      <IconPhoto size={14} aria-hidden /> <Named file={file} name={pictureName(file, at)} />
    </ViewerLink>
  );
}

const isPicture = (file: Attachment) => pictures.includes(bareType(file));

/** The messaging app sends pictures without one. */
const pictureName = ({ name }: Attachment, at: string) => name ?? `Picture of ${instantOf(at)}`;

/** What opens a new tab where it is asked to, and on a phone anyway: there is no room beside. */
const goesElsewhere = ({ ctrlKey, metaKey, shiftKey }: MouseEvent) => ctrlKey || metaKey || shiftKey;
const canShowBeside = () => navigator.pdfViewerEnabled && matchMedia('(min-width: 641px)').matches;

function FileLink({ file }: { file: Attachment }) {
  const show = useContext(ShowFile);
  const isDocument = bareType(file) === 'application/pdf';
  const open = (event: MouseEvent) => {
    if (!show || !isDocument || goesElsewhere(event) || !canShowBeside()) return;
    event.preventDefault();
    show(file);
  };
  return (
    <span className={classes.file}>
      <Anchor className={classes.file} href={addressOf(file)} target="_blank" rel="noreferrer" size="sm" onClick={open}>
        <IconPaperclip size={14} aria-hidden /> <Named file={file} name={nameOf(file)} />
      </Anchor>
      {isDocument && (
        <ActionIcon
          component="a"
          size="xs"
          variant="subtle"
          color="gray"
          href={addressOf(file)}
          download
          aria-label={`Download ${nameOf(file)}`}
        >
          <IconDownload size={14} />
        </ActionIcon>
      )}
    </span>
  );
}

const Named = ({ file: { size }, name }: { file: Attachment; name: string }) => (
  <span>
    {name}
    {size !== null && ` (${sizeOf(size)})`}
  </span>
);

export const nameOf = ({ name }: Attachment) => name ?? 'A file without a name';

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
    <audio className={classes.recording} controls preload="none" src={addressOf(file)} onError={cannot} />
    <FileLink file={file} />
  </div>
);

/** Its room is kept before it is there, so that the log does not move. */
const Picture = ({ file, at, cannot }: ShownProps & FileProps) => (
  <ViewerLink className={classes.picture} file={file} at={at}>
    <img src={addressOf(file)} alt={pictureName(file, at)} loading="lazy" onError={cannot} />
  </ViewerLink>
);

interface ViewerLinkProps extends FileProps {
  className: string | undefined;
  children: ReactNode;
}

function ViewerLink({ file, at, className, children }: ViewerLinkProps) {
  const [viewed, setViewed] = useState<readonly Viewed[]>();
  const link = useRef<HTMLAnchorElement>(null);
  const close = () => {
    setViewed(undefined);
    link.current?.focus();
  };
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    if (goesElsewhere(event)) return;
    event.preventDefault();
    setViewed(allOf(event.currentTarget));
  };
  return (
    <>
      <a
        ref={link}
        className={className}
        href={addressOf(file)}
        target="_blank"
        rel="noreferrer"
        onClick={open}
        aria-haspopup="dialog"
        data-picture={pictureName(file, at)}
      >
        {children}
      </a>
      <Suspense>{viewed && <PictureViewer all={viewed} first={addressOf(file)} close={close} />}</Suspense>
    </>
  );
}

/** Every picture of the log or the list this one is in, in its order. */
function allOf(link: HTMLElement): Viewed[] {
  const place = link.closest('[role="log"], ul') ?? link.parentElement;
  return [...(place?.querySelectorAll<HTMLElement>('[data-picture]') ?? [])].map((one) => ({
    href: one.getAttribute('href') ?? '',
    name: one.dataset.picture ?? '',
  }));
}
