import { Anchor, Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconDownload } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import type { CsvImport } from '../api/types.ts';
import { WhoChanged } from '../history/who-changed.tsx';
import { useAgentNames } from '../parts/agents.tsx';
import { When } from '../parts/dates.tsx';
import { ProgressBar } from '../parts/progress.tsx';
import { Failed, Loading } from '../parts/states.tsx';
import { asSentence } from '../parts/words.ts';
import type { ImportKind } from './columns.ts';
import { goesOn, importQuery, rowsFileAddress, takeIn } from './import-calls.ts';
import { ImportParts } from './import-parts.tsx';
import { ImportRows } from './import-rows.tsx';
import * as words from './import-words.ts';
import classes from './imports.module.css';

interface ImportReportProps {
  kind: ImportKind;
  id: string;
  asked: words.Shown | undefined;
  show(rows: words.Shown): void;
}

/** What a file would do, how taking it in goes, and what came of it. */
export function ImportReport({ kind, id, asked, show }: ImportReportProps) {
  const { data: one, error, isPending, refetch } = useQuery(importQuery(kind, id));
  if (isPending) return <Loading rows={6} />;
  if (error && !one) return <Failed problem={asProblem(error)} again={refetch} />;
  const parts = words.partsOf(one);
  const shown = words.shownOf(parts, asked);
  const forecast = one.status === 'CHECKED' ? words.forecastInWords(one) : null;
  return (
    <>
      <div className={classes.report}>
        <Heading one={one} />
        <State kind={kind} one={one} />
        {forecast && <Text>{forecast}</Text>}
        <WhoDid kind={kind} one={one} />
        {parts.length > 0 && !goesOn(one) && one.counts.rows > 0 && (
          <ImportParts parts={parts} shown={shown} show={show} />
        )}
      </div>
      {!goesOn(one) && one.counts.rows > 0 && <ImportRows kind={kind} csvImport={one} shown={shown} />}
    </>
  );
}

/** Takes the focus when what had it is gone, so that nobody starts again from the top. */
function Heading({ one: { name, created_by, created_at, status } }: { one: CsvImport }) {
  const nameOf = useAgentNames();
  const heading = useRef<HTMLHeadingElement>(null);
  // With each state the buttons are others.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [status]);
  return (
    <div>
      <h2 className={classes.heading} ref={heading} tabIndex={-1}>
        {name}
      </h2>
      <Text size="sm" c="var(--text-quiet)">
        Sent by {nameOf(created_by)} <When at={created_at} />
      </Text>
    </div>
  );
}

/** Looked up each time somebody opens it: nothing tells who takes the rows along. */
function WhoDid({ kind, one: { id } }: { kind: ImportKind; one: CsvImport }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Who sent it, had it taken in or took its rows along</summary>
      {isOpen && (
        <WhoChanged
          queryKey={importQuery(kind, id).queryKey}
          made={{ name: 'sent the file' }}
          ask={(query, signal) =>
            dataOf(api.GET(`/ops/imports/${kind}/{id}/history`, { params: { path: { id }, query }, signal }))
          }
        />
      )}
    </details>
  );
}

function State({ kind, one }: { kind: ImportKind; one: CsvImport }) {
  const { status, counts } = one;
  if (status === 'CHECKING')
    return (
      <ProgressBar
        label="Looking through the file"
        words={`${words.rowsInWords(counts.rows)} looked through so far. You may leave this page and come back to it.`}
        share={null}
      />
    );
  if (status === 'RUNNING')
    return (
      <ProgressBar
        label="Taking the rows in"
        words={`${words.progressInWords(counts)}. It goes on when you leave this page.`}
        share={words.shareDone(counts)}
      />
    );
  if (status === 'FAILED') return <FailedImport kind={kind} one={one} />;
  return (
    <div className={classes.actions}>
      {status === 'CHECKED' && <TakeIn kind={kind} one={one} />}
      <Text role="status">{status === 'CHECKED' ? words.previewInWords(counts) : words.outcomeOfAll(counts)}</Text>
      {counts.rows > 0 && <Download kind={kind} one={one} />}
      {status === 'COMPLETED' && kind === 'renewals' && (
        <Anchor renderRoot={(props) => <Link to="/renewals/dry-run" {...props} />} size="sm">
          See who would be alerted now
        </Anchor>
      )}
    </div>
  );
}

function TakeIn({ kind, one: { id, counts } }: { kind: ImportKind; one: CsvImport }) {
  const [key] = useState(() => crypto.randomUUID());
  const take = useMutation({
    mutationFn: () => takeIn(kind, id, key),
    onSuccess: (running) => queries.setQueryData(importQuery(kind, id).queryKey, running),
  });
  const count = counts.to_create + counts.to_change;
  if (count === 0) return null;
  return (
    <>
      <Button onClick={() => take.mutate()} loading={take.isPending}>
        Take in {words.rowsInWords(count)}
      </Button>
      {take.error && <Failed problem={asProblem(take.error)} again={take.mutate} />}
    </>
  );
}

function FailedImport({ kind, one }: { kind: ImportKind; one: CsvImport }) {
  const { failure, counts } = one;
  return (
    <div role="alert">
      <Text fw={600} className={classes.problem}>
        <IconAlertTriangle size={16} aria-hidden /> This import failed
      </Text>
      <Text>{asSentence(failure ?? 'The service gave no reason')}</Text>
      <Text mb="sm">
        {counts.done === 0
          ? 'Nothing of this file was taken in.'
          : `${words.rowsInWords(counts.done)} were taken in before and stay; the same file sent again does no harm to them.`}
      </Text>
      {counts.rows > 0 && <Download kind={kind} one={one} />}
    </div>
  );
}

const Download = ({ kind, one }: { kind: ImportKind; one: CsvImport }) => (
  <Anchor href={rowsFileAddress(kind, one.id)} download size="sm">
    <IconDownload size={14} aria-hidden /> Download the rows with their outcome
  </Anchor>
);
