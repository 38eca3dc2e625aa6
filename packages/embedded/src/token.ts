import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** What a running system tells those who may read its data directory. */
export const runFile = z.object({
  pid: z.int(),
  url: z.string(),
  issuer: z.string(),
  token_client: z.object({ id: z.string(), secret: z.string() }),
  processes: z.record(z.string(), z.int()),
  /** What each process was told, for who looks whether all is well; absent while an older version runs. */
  settings: z.record(z.string(), z.record(z.string(), z.string())).default({}),
});
export type RunFile = z.infer<typeof runFile>;

export const runFilePath = (dataDir: string): string => join(dataDir, 'run.json');

export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  const text = await readFile(runFilePath(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : runFile.parse(JSON.parse(text));
}
