import { Code } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CsvImport, ImportRow } from '../api/types.ts';
import { fieldsInWords } from '../customers/source-words.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import type { ImportKind } from './columns.ts';
import { importRowsQuery } from './import-calls.ts';
import { outcomeInWords, type Shown } from './import-words.ts';
import classes from './imports.module.css';

interface ImportRowsProps {
  kind: ImportKind;
  csvImport: CsvImport;
  shown: Shown;
}

/** The rows of a file in its order, with what becomes of each. */
export function ImportRows({ kind, csvImport, shown }: ImportRowsProps) {
  const query = useInfiniteQuery(importRowsQuery(kind, csvImport, shown));
  const agentOf = useAgentNames();
  return (
    <Listed query={query} empty="There is no such row in this file." skeleton={{ rows: 8 }}>
      {(rows) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>Line</th>
              <th>About</th>
              <th>{csvImport.status === 'CHECKED' ? 'What would become of it' : 'What became of it'}</th>
              <th>Agent</th>
              <th>Remarks</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.line}>
                <td data-label="Line">{row.line}</td>
                <td data-label="About" className={classes.about}>
                  {row.key !== null && <About kind={kind} row={row} />}
                </td>
                <td data-label="Outcome">{outcomeInWords(row.outcome, kind)}</td>
                <td data-label="Agent">{row.responsible_agent && agentOf(row.responsible_agent)}</td>
                <td data-label="Remarks">
                  {row.errors.length > 0 && <Wrong errors={row.errors} />}
                  {row.kept.length > 0 && <>Kept as a person set it: {fieldsInWords(row.kept)}</>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function About({ kind, row: { key, outcome } }: { kind: ImportKind; row: ImportRow }) {
  const isThere = kind === 'customers' && outcome !== 'refused' && outcome !== 'create';
  if (!isThere || key === null) return key;
  return (
    <Link to="/customers/$id" params={{ id: key }} className={table.main}>
      {key}
    </Link>
  );
}

const Wrong = ({ errors }: Pick<ImportRow, 'errors'>) => (
  <ul className={classes.wrong}>
    {errors.map(({ column, message }) => (
      <li key={column} className={classes.problem}>
        {column === '$' ? 'The row' : <Code>{column}</Code>} {message}
      </li>
    ))}
  </ul>
);
