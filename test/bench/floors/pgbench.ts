import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Script {
  /** In which database, as whom. */
  url: string;
  text: string;
  values: Record<string, string>;
  connections: number;
  /** For each connection. */
  transactions: number;
}

const longestMs = 600_000;

/** How often a second; undefined when the machine has no pgbench. */
export async function runPgbench({
  url,
  text,
  values,
  connections,
  transactions,
}: Script): Promise<number | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'ops-bench-'));
  const file = join(folder, 'script.sql');
  await writeFile(file, text);
  const given = Object.entries(values).flatMap(([name, value]) => ['-D', `${name}=${value}`]);
  const { code, output } = await outputOf(
    'pgbench',
    ['-n', '-M', 'extended', '-c', `${connections}`, '-t', `${transactions}`, '-f', file, ...given],
    environmentOf(url),
  ).finally(() => rm(folder, { recursive: true, force: true }));
  if (code === undefined) return undefined;
  const [, perSecond] = /^tps = ([\d.]+)/m.exec(output) ?? [];
  if (code !== 0 || perSecond === undefined) throw new Error(`pgbench ended with ${code}:\n${output}`);
  return Number(perSecond);
}

function environmentOf(url: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname } = new URL(url);
  const where = { PGHOST: hostname, PGPORT: port || '5432', PGDATABASE: pathname.slice(1) };
  return { PATH: process.env.PATH, ...where, PGUSER: username, PGPASSWORD: decodeURIComponent(password) };
}

async function outputOf(program: string, args: string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.timeout(longestMs),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk));
  try {
    const [code] = await once(child, 'close');
    return { code: code as number | null, output };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { code: undefined, output };
    throw error;
  }
}
