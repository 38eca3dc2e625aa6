import { Button, Code, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { saveFile } from '../parts/save-file.ts';
import table from '../parts/table.module.css';
import { columns, exampleFile, type ImportKind, mostBytes } from './columns.ts';
import { sizeInWords } from './import-words.ts';
import classes from './imports.module.css';

/** How a file has to be made. */
export function ColumnsExpected({ kind }: { kind: ImportKind }) {
  return (
    <section aria-labelledby="columns">
      <h2 id="columns" className={classes.heading}>
        What the file holds
      </h2>
      <Text size="sm" mb="md">
        A CSV file in UTF-8, as spreadsheets save it under the name “CSV UTF-8”, of at most {sizeInWords(mostBytes)}.
        Its first line names the columns, in any order; commas, semicolons or tabs stand between them. What a cell
        leaves empty stays as it is. The file of an outcome can be corrected and sent again.
      </Text>
      <table className={`${table.table} ${classes.columns}`}>
        <thead>
          <tr>
            <th>Column</th>
            <th>Needed</th>
            <th>What a cell holds</th>
            <th>Example</th>
          </tr>
        </thead>
        <tbody>
          {columns[kind].map(({ name, required, holds, example }) => (
            <tr key={name}>
              <td data-label="Column">
                <Code>{name}</Code>
              </td>
              <td data-label="Needed">{required ? 'Always' : 'If you like'}</td>
              <td data-label="What it holds">
                <span>{holds}</span>
              </td>
              <td data-label="Example">{example}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button
        mt="md"
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() =>
          saveFile(`${kind}-example.csv`, new Blob([exampleFile(kind)], { type: 'text/csv;charset=utf-8' }))
        }
      >
        Download an example
      </Button>
    </section>
  );
}
