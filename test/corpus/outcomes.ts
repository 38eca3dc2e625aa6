import type { CorpusFile } from './corpus-files.ts';

interface Row {
  file: string;
  outcome: string;
  meaning: string;
}
const rows: Row[] = [];

export function note({ name, meaning }: Pick<CorpusFile, 'name' | 'meaning'>, outcome: string): void {
  rows.push({ file: name, outcome: outcome.replaceAll(/\s+/g, ' '), meaning });
}

export const noted = (): Set<string> => new Set(rows.map(({ file }) => file));

/** Straight to the terminal: jest would put a stack trace beside each line. */
export function printTable(): void {
  const lines = rows
    .toSorted((a, b) => (a.file < b.file ? -1 : 1))
    .map(({ file, outcome, meaning }) => `${file} | ${outcome} | ${meaning}`);
  process.stdout.write(`\nfile | outcome | what the corpus says it means\n${lines.join('\n')}\n\n`);
}
