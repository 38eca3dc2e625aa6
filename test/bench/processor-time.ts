import { readdir, readFile } from 'node:fs/promises';
import { type Db, oneRow } from '@ops/service-kit/database';

/**
 * Seconds of processor time, as Linux counts it: unlike speed it hardly depends on what else the machine is doing. Where there
 * is no /proc, or the database is on another machine, it is not a number.
 */
export type Spent = Record<string, number>;

interface Running {
  pid: number;
  parent: number;
  seconds: number;
  /** Of children that ended and were waited for. */
  ofEnded: number;
}

const clockTicks = 100;

async function running(): Promise<Running[]> {
  const names = await readdir('/proc').catch(() => []);
  const read = names.filter((name) => /^\d+$/.test(name)).map(readProcess);
  return (await Promise.all(read)).flatMap((one) => one ?? []);
}

/** Nothing if it has ended meanwhile. */
async function readProcess(pid: string): Promise<Running | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // Its name stands in brackets, and may hold anything.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, ofEndedUser = 0, ofEndedSystem = 0] = [1, 11, 12, 13, 14].map(
    (n) => fields[n],
  );
  return {
    pid: Number(pid),
    parent,
    seconds: (user + system) / clockTicks,
    ofEnded: (ofEndedUser + ofEndedSystem) / clockTicks,
  };
}

const entry = /(?:services\/)?([\w-]+)\/src\/main\.ts/;

/** The processes of a system that this one started, by name; those that play the world outside are not ours. */
export async function ourProcesses(): Promise<Map<string, number>> {
  const children = (await running()).filter(({ parent }) => parent === process.pid);
  const named = children.map(async ({ pid }) => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return [entry.exec(command)?.[1], pid] as const;
  });
  const outside = new Set([undefined, 'dev-idp', 'provider-sim']);
  return new Map((await Promise.all(named)).filter((one): one is [string, number] => !outside.has(one[0])));
}

export async function spentBy(processes: ReadonlyMap<string, number>): Promise<Spent> {
  const read = [...processes].map(async ([name, pid]) => {
    const found = await readProcess(String(pid));
    return [name, found?.seconds ?? Number.NaN] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Of the server, all its sessions and whatever it does besides, those that have ended included. */
export async function spentByPostgres(db: Db): Promise<number> {
  const { pid } = await oneRow<{ pid: number }>(db, 'SELECT pg_backend_pid() AS pid', {});
  const all = await running();
  const server = all.find((one) => one.pid === all.find((session) => session.pid === pid)?.parent);
  if (!server) return Number.NaN;
  const sessions = all.filter(({ parent }) => parent === server.pid);
  return sessions.reduce((sum, { seconds }) => sum + seconds, server.seconds + server.ofEnded);
}

export const spentBetween = (before: Spent, after: Spent): Spent =>
  Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));

export const together = (spent: Spent): number => Object.values(spent).reduce((sum, seconds) => sum + seconds, 0);

/** Milliseconds for one of so many, of every process that had anything to do with it. */
export const describeSpent = (spent: Spent, count: number): string =>
  Object.entries(spent)
    .map(([name, seconds]) => [name, (seconds * 1000) / count] as const)
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(', ');

export interface Cost {
  seconds: number;
  /** Processor time of this process, which plays a service. */
  own: number;
  postgres: number;
}

export async function costOf(db: Db, work: () => Promise<unknown>): Promise<Cost> {
  const before = { own: process.cpuUsage(), postgres: await spentByPostgres(db), at: performance.now() };
  await work();
  const seconds = (performance.now() - before.at) / 1000;
  const { user, system } = process.cpuUsage(before.own);
  return { seconds, own: (user + system) / 1e6, postgres: (await spentByPostgres(db)) - before.postgres };
}

/** Of all that this process started, and what those started, once they have ended. */
export async function spentByEnded(): Promise<number> {
  return (await readProcess(String(process.pid)))?.ofEnded ?? Number.NaN;
}
