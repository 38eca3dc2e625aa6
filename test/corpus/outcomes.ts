import { test } from '@jest/globals';
import { type CorpusFile, filesOf } from './corpus-files.ts';

interface Row {
  file: string;
  kind: string;
  outcome: string;
  meaning: string;
}
const rows: Row[] = [];

export function note({ name, kind, meaning }: Omit<CorpusFile, 'folder' | 'bytes'>, outcome: string): void {
  rows.push({ file: name, kind, outcome: outcome.replaceAll(/\s+/g, ' '), meaning });
}

/** A test for each, of which there may be none; what fails has its line in the table as well. */
export function eachFile(kind: string, named: RegExp, run: (file: CorpusFile) => Promise<void> | void): void {
  for (const file of filesOf(kind, named))
    test(file.name, async () => {
      try {
        await run(file);
      } catch (error) {
        note(file, `FAILED: ${String(error).slice(0, 200)}`);
        throw error;
      }
    });
}

export const noted = (): Set<string> => new Set(rows.map(({ file }) => file));

/** Straight to the terminal: jest would put a stack trace beside each line. */
export function printTable(): void {
  const lines = rows
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, kind, outcome, meaning }) => `${file} | ${kind} | ${outcome} | ${meaning}`);
  process.stdout.write(`\nfile | kind | outcome | what the corpus says it means\n${lines.join('\n')}\n\n`);
}
