import { Button, CloseButton, FileButton, Text } from '@mantine/core';
import { IconPaperclip } from '@tabler/icons-react';
import { type ClipboardEvent, type DragEvent, useRef } from 'react';
import { ProgressBar } from '../parts/progress.tsx';
import type { DraftFile } from './compose.ts';
import classes from './composer.module.css';
import { sizeOf } from './size-words.ts';
import type { Uploading } from './use-files.ts';

interface FileListProps {
  files: readonly DraftFile[];
  uploading: readonly Uploading[];
  remove(id: string): void;
  again(one: Uploading): void;
  drop(key: string): void;
  /** Why they cannot go as they are. */
  problem: string | null;
}

/** What goes along, what is on its way to the service, and what did not get through. */
export function FileList({ files, uploading, remove, again, drop, problem }: FileListProps) {
  if (files.length + uploading.length === 0) return null;
  return (
    <>
      <ul className={classes.files} aria-label="Files">
        {files.map(({ id, name, size }) => (
          <li key={id}>
            <IconPaperclip size={14} aria-hidden />
            <span>
              {name} ({sizeOf(size)})
            </span>
            <CloseButton size="xs" onClick={() => remove(id)} aria-label={`Remove ${name}`} />
          </li>
        ))}
        {uploading.map((one) => (
          <li key={one.key} data-failed={one.problem !== null || undefined}>
            <Way one={one} />
            {one.problem !== null && one.mayRepeat && (
              <Button size="compact-xs" variant="default" onClick={() => again(one)}>
                Try again
              </Button>
            )}
            <CloseButton size="xs" onClick={() => drop(one.key)} aria-label={`Remove ${one.file.name}`} />
          </li>
        ))}
      </ul>
      {problem && (
        <Text size="xs" c="var(--urgency-overdue-text)" role="status">
          {problem}
        </Text>
      )}
    </>
  );
}

function Way({ one: { file, share, problem } }: { one: Uploading }) {
  if (problem !== null)
    return (
      <span role="alert">
        {file.name}: {problem}
      </span>
    );
  const words = `${file.name}, ${Math.round(share * 100)} % of ${sizeOf(file.size)}`;
  return <ProgressBar label={`Uploading ${file.name}`} words={words} share={share} />;
}

/** Where none goes along, it says why. */
export function AddFiles({ add, obstacle }: { add(files: readonly File[]): void; obstacle: string | null }) {
  const reset = useRef<() => void>(null);
  return (
    <FileButton
      multiple
      resetRef={reset}
      disabled={obstacle !== null}
      inputProps={{ 'aria-label': 'Add files' }}
      onChange={(files) => {
        add(files);
        reset.current?.();
      }}
    >
      {(props) => (
        <Button
          {...props}
          size="compact-sm"
          variant="subtle"
          color="gray"
          leftSection={<IconPaperclip size={16} aria-hidden />}
          disabled={obstacle !== null}
          title={obstacle ?? 'Files can be dropped and pasted here too'}
          className={classes.add}
        >
          Files
          {obstacle && <span className="visually-hidden">: {obstacle}</span>}
        </Button>
      )}
    </FileButton>
  );
}

/** Whatever is dropped or pasted there is added. */
export const takesFiles = (add: (files: readonly File[]) => void) => ({
  onDragOver: (event: DragEvent) => {
    if (event.dataTransfer.types.includes('Files')) event.preventDefault();
  },
  onDrop: (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    add([...event.dataTransfer.files]);
  },
  onPaste: (event: ClipboardEvent) => {
    // What is copied from a text comes as a picture too.
    if (event.clipboardData.files.length === 0 || event.clipboardData.types.includes('text/plain')) return;
    event.preventDefault();
    add([...event.clipboardData.files]);
  },
});
