import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const docs = join(import.meta.dirname, '../../docs');

async function dumpCommands(): Promise<string[]> {
  const names = (await readdir(docs)).filter((name) => name.endsWith('.md'));
  const pages = await Promise.all(names.map((name) => readFile(join(docs, name), 'utf8')));
  return pages.flatMap((page) => page.split('\n')).filter((line) => /pg_dump .*>/.test(line));
}

test('a dump made as the documents say is for its owner alone, whatever the shell usually grants', async () => {
  const commands = await dumpCommands();
  expect(commands).not.toEqual([]);
  for (const command of commands) {
    const dir = await mkdtemp(join(tmpdir(), 'ops-backup-'));
    const dumping = command.replace(/docker compose exec.*? >/, 'echo dump >');
    await promisify(execFile)('sh', ['-c', `umask 022; ${dumping}`], { cwd: dir });
    const [dump = ''] = await readdir(dir);
    expect(((await stat(join(dir, dump))).mode & 0o777).toString(8)).toBe('600');
    await rm(dir, { recursive: true });
  }
});
