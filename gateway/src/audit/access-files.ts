import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { every } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';

/** Where the line of each request goes, apart from the log: a file a day and gateway, kept for so many days. */
export interface AccessFiles {
  write(line: string): void;
  stop(): Promise<void>;
}

interface Options {
  dir: string;
  days: number;
  logger: Logger;
}

const writtenEveryMs = 1_000;
const tidiedEveryMs = 3_600_000;
/** Some minutes of a busy day, for a disk that comes back. */
const mostWaiting = 20_000;

const dayMs = 86_400_000;
const dayOf = (at: number) => `access-${new Date(at).toISOString().slice(0, 10)}`;
const isOurs = /^access-\d{4}-\d{2}-\d{2}\..*jsonl$/;

/** Fails at once where it cannot write. */
export async function openAccessFiles({ dir, days, logger }: Options): Promise<AccessFiles> {
  let waiting: string[] = [];
  let leftOut = 0;
  const put = (lines: string[]) => append(join(dir, `${dayOf(Date.now())}.${hostname()}.jsonl`), lines.join(''));
  const write = async () => {
    const lines = waiting;
    if (lines.length === 0) return;
    waiting = [];
    await put(lines).catch((error: unknown) => {
      waiting = [...lines, ...waiting];
      throw error;
    });
    if (leftOut > 0) logger.error({ lines: leftOut }, 'lines of requests were lost while their disk was full or away');
    leftOut = 0;
  };
  const tidy = async () => {
    const oldest = dayOf(Date.now() - days * dayMs);
    const past = (await readdir(dir)).filter((name) => isOurs.test(name) && name < oldest);
    await Promise.all(past.map((name) => rm(join(dir, name), { force: true })));
  };
  await mkdir(dir, { recursive: true, mode: 0o750 });
  await put([]);
  const jobs = [every(writtenEveryMs, write, logger), every(tidiedEveryMs, tidy, logger, { atOnce: true })];
  return {
    write(line) {
      if (waiting.length < mostWaiting) waiting.push(line);
      else leftOut += 1;
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await write().catch((error: unknown) => logger.warn({ err: error }, 'lines of requests could not be written'));
    },
  };
}

/** All of it or nothing: what a full disk took a part of comes whole later. */
async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o640);
  try {
    const { size } = await file.stat();
    await file.appendFile(text).catch(async (error: unknown) => {
      await file.truncate(size);
      throw error;
    });
  } finally {
    await file.close();
  }
}
