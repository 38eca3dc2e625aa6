import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type RunFile, readRunFile, runFilePath, writeRunFile } from './token.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'ops-run-file-'));
});
afterEach(() => rm(dataDir, { recursive: true }));

const running: RunFile = {
  pid: process.pid,
  url: 'http://localhost:8080',
  issuer: 'http://localhost:8081',
  token_client: { id: 'ops-token', secret: 'secret' },
  processes: { gateway: 2 },
  settings: { gateway: { PORT: '8080' } },
};

test('what runs is told whole, to nobody but its owner', async () => {
  expect(await readRunFile(dataDir)).toBeUndefined();
  await writeRunFile(dataDir, running);
  expect(await readRunFile(dataDir)).toEqual(running);
  expect((await stat(runFilePath(dataDir))).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(['run.json']);
});

test.each(['', '{"pid": 1', '{"pid": "one"}', 'null'])(
  'what is damaged (%j) is said to be, with what to do',
  async (text) => {
    await writeFile(runFilePath(dataDir), text);
    await expect(readRunFile(dataDir)).rejects.toThrow(/run\.json is damaged: if nothing runs .* remove that file$/);
  },
);
