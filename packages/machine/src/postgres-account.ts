import { execFile } from 'node:child_process';
import { lchown, lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Postgres refuses to run as root: as whom it runs instead. */
export interface Account {
  uid: number;
  gid: number;
}

/** `undefined` for an ordinary user, who runs it as themselves. */
export async function postgresAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  return (await lookUp('postgres')) ?? (await lookUp('nobody')) ?? noAccount();
}

async function lookUp(name: string): Promise<Account | undefined> {
  const id = (flag: string) => promisify(execFile)('id', [flag, name]).then(({ stdout }) => Number(stdout));
  return Promise.all([id('-u'), id('-g')])
    .then(([uid, gid]) => ({ uid, gid }))
    .catch(() => undefined);
}

function noAccount(): never {
  throw new Error('Postgres does not run as root, and this machine has neither a user `postgres` nor `nobody`');
}

/** Whether every directory on the way lets this account through. */
export async function canReach({ uid, gid }: Account, path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode, uid: owner, gid: group } = await stat(at);
    const bit = owner === uid ? 0o100 : group === gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** The path and all below become the account's; a data directory may have been another's before. Itself last, as the mark. */
export async function giveTo({ uid, gid }: Account, path: string): Promise<void> {
  const found = await lstat(path);
  if (found.uid === uid) return;
  const below = found.isDirectory() ? await readdir(path, { recursive: true }) : [];
  for (const entry of below) await lchown(join(path, entry), uid, gid);
  await lchown(path, uid, gid);
}
