import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where every process a test starts leaves what it wrote; made by global-setup, searched by global-teardown. */
const directory = (): string => {
  const path = process.env.TEST_LOG_DIRECTORY;
  if (!path) throw new Error('TEST_LOG_DIRECTORY is not set: is global-setup in the jest configuration?');
  return path;
};

/** Takes down the lines of one process. Two processes of one name share a file. */
export function captureLog(name: string): (line: string) => void {
  const file = join(directory(), `${name}.log`);
  return (line) => appendFileSync(file, `${line}\n`);
}

/** A text no log may ever contain: tests put one into every message body and note. */
export const canary = (): string => `canary-${randomUUID()}`;

/** For how a test failed: it quotes the texts that the test looked for, and no process wrote them. */
export const withoutCanaries = (text: string): string => text.replaceAll(/canary-[0-9a-f-]{36}/g, 'a canary');

/** What a log must not contain, whoever wrote it. */
const secrets: Record<string, RegExp> = {
  'a token': /eyJ[\w-]{10,}\.[\w-]*\.[\w-]{10,}/,
  'a session cookie': /\b[\w-]*(?:session|sign_in|demo_idp)[\w-]*=(?!\[)[\w.%~+/-]{16,}/i,
  'an Authorization header': /\b(?:bearer|basic)\s+(?!\[)[\w.~+/-]{16,}=*/i,
  'the text of a message': /canary-[0-9a-f]{8}-/,
};

/** One line for each kind of secret found in each file; empty when the logs are clean. */
export async function findLeaks(path = directory()): Promise<string[]> {
  const names = await readdir(path);
  const found = await Promise.all(names.map(async (name) => leaksIn(name, await readFile(join(path, name), 'utf8'))));
  return found.flat();
}

export function leaksIn(name: string, text: string): string[] {
  return Object.entries(secrets).flatMap(([what, pattern]) => {
    const line = text.split('\n').find((candidate) => pattern.test(candidate));
    return line === undefined ? [] : [`${name} contains ${what}: ${line.slice(0, 300)}`];
  });
}
