import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fact, fact } from './message.ts';

/** The facts on disk, one a line, appended as they happen. */
export interface Journal {
  /** Those of earlier lives. */
  kept: Fact[];
  /** On disk, or at least with the kernel, when it returns: a process killed then loses none, one killed before it all of them. */
  append(...facts: Fact[]): void;
  close(): void;
}

export async function openJournal(directory: string): Promise<Journal> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, 'journal.jsonl');
  const kept = await readKept(path);
  const file = openSync(path, 'a', 0o600);
  return {
    kept,
    append: (...facts) => void writeSync(file, facts.map((one) => `${JSON.stringify(one)}\n`).join('')),
    close: () => closeSync(file),
  };
}

/** A line that a kill cut off was told to nobody, and goes. */
async function readKept(path: string): Promise<Fact[]> {
  const bytes = await readFile(path).catch(absent);
  if (!bytes) return [];
  const whole = bytes.lastIndexOf('\n') + 1;
  if (whole < bytes.length) await truncate(path, whole);
  const lines = bytes.subarray(0, whole).toString().split('\n').slice(0, -1);
  return lines.map((line) => fact.parse(JSON.parse(line)));
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
