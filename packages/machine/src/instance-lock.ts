import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Held until released, or until the process is gone. */
export interface InstanceLock {
  release(): void;
}

/**
 * One supervisor a data directory. The kernel holds the lock for the process (SQLite takes a file lock), so a killed
 * one leaves nothing stale behind, and no other process's number can be mistaken for it. `undefined`: another has it.
 */
export function takeInstanceLock(dataDir: string): InstanceLock | undefined {
  const held = new DatabaseSync(join(dataDir, 'lock'), { timeout: 0 });
  try {
    held.exec('begin exclusive');
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return { release: () => held.close() };
}
