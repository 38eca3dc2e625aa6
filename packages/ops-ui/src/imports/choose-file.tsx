import { Button, FileButton, Radio, Text } from '@mantine/core';
import { IconFileSpreadsheet } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { asProblem, type ProblemError } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import { Failed } from '../parts/states.tsx';
import type { ImportKind } from './columns.ts';
import { ColumnsExpected } from './columns-expected.tsx';
import { importQuery, type SeedAlerts, sendFile } from './import-calls.ts';
import { fileObstacle, sizeInWords } from './import-words.ts';
import classes from './imports.module.css';
import { LastImport } from './last-import.tsx';

interface ChooseFileProps {
  kind: ImportKind;
  /** It was sent and is looked through. */
  begun(id: string): void;
}

interface Intent {
  file: File;
  seedAlerts: SeedAlerts;
  /** Repeated with every try of the same. */
  key: string;
}

/** A file is chosen or dropped; nothing of it is taken in before somebody has seen what it would do. */
export function ChooseFile({ kind, begun }: ChooseFileProps) {
  const [file, setFile] = useState<File | null>(null);
  const [seedAlerts, setSeedAlerts] = useState<SeedAlerts>('silent');
  const [intent, setIntent] = useState<Intent>();
  const send = useMutation({
    mutationFn: (wanted: Intent) => sendFile(kind, wanted),
    onSuccess: (one) => {
      queries.setQueryData(importQuery(kind, one.id).queryKey, one);
      begun(one.id);
    },
  });
  const obstacle = file && fileObstacle(file);
  const choose = (chosen: File | null) => {
    if (chosen === null) return;
    setFile(chosen);
    send.reset();
  };
  const go = () => {
    if (file === null || obstacle !== null) return;
    const isSame = intent?.file === file && intent.seedAlerts === seedAlerts;
    const wanted = isSame ? intent : { file, seedAlerts, key: crypto.randomUUID() };
    setIntent(wanted);
    send.mutate(wanted);
  };
  return (
    <div className={classes.page}>
      <DropZone choose={choose}>
        {file ? (
          <span className={classes.file}>
            {file.name} <Text span>({sizeInWords(file.size)})</Text>
          </span>
        ) : (
          'Drop a CSV file here'
        )}
        <FileButton onChange={choose} accept=".csv,.tsv,.txt,text/csv" inputProps={{ 'aria-label': 'CSV file' }}>
          {(props) => (
            <Button {...props} variant="default">
              {file ? 'Choose another file' : 'Choose a file'}
            </Button>
          )}
        </FileButton>
        {obstacle && (
          <Text role="alert" className={classes.problem}>
            {obstacle}
          </Text>
        )}
      </DropZone>
      {kind === 'renewals' && <SeedChoice value={seedAlerts} choose={setSeedAlerts} />}
      <div className={classes.actions}>
        <Button onClick={go} disabled={file === null || obstacle !== null} loading={send.isPending}>
          Look through the file
        </Button>
        <Text size="sm" c="var(--text-quiet)" role="status">
          {send.isPending ? 'The file is being sent.' : 'You see what each row would do before anything is taken in.'}
        </Text>
      </div>
      {send.error && <NotTaken problem={asProblem(send.error)} again={go} />}
      <LastImport kind={kind} />
      <ColumnsExpected kind={kind} />
    </div>
  );
}

function DropZone({ choose, children }: { choose(file: File | null): void; children: React.ReactNode }) {
  const [isOver, setIsOver] = useState(false);
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    choose(event.dataTransfer.files[0] ?? null);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is one way; the button within is the other
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={onDrop}
    >
      <IconFileSpreadsheet size={28} aria-hidden />
      {children}
    </div>
  );
}

interface SeedChoiceProps {
  value: SeedAlerts;
  choose(value: SeedAlerts): void;
}

function SeedChoice({ value, choose }: SeedChoiceProps) {
  return (
    <Radio.Group
      label="Of which of these renewals may the customer be written to for a day that is near or past already?"
      value={value}
      onChange={(chosen) => choose(chosen as SeedAlerts)}
    >
      <div className={classes.choices}>
        <Radio
          value="silent"
          classNames={{ description: classes.meaning }}
          label="None of them"
          description="No customer is written to for rungs that are behind. You get tasks from 14 days on, and what is overdue is flagged. The first message comes with the next rung."
        />
        <Radio
          value="urgent-only"
          classNames={{ description: classes.meaning }}
          label="Those of 14 days or less, and overdue ones"
          description="The next refresh writes to these customers, and to no other for rungs that are behind."
        />
      </div>
    </Radio.Group>
  );
}

/** What is wrong with the file as a whole, each by its column. */
function NotTaken({ problem, again }: { problem: ProblemError; again(): void }) {
  const errors = problem.problem.errors ?? [];
  if (errors.length === 0) return <Failed problem={problem} again={again} />;
  return (
    <div role="alert" className={classes.problem}>
      <Text fw={600}>This file cannot be looked through. Correct it and choose it again.</Text>
      <ul className={classes.problems}>
        {errors.map(({ path, message }) => (
          <li key={`${path} ${message}`}>{path === 'file' ? `The file: ${message}` : `Column “${path}” ${message}`}</li>
        ))}
      </ul>
    </div>
  );
}
