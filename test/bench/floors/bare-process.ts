import { fileURLToPath } from 'node:url';
import { describeEnding } from '@ops/machine/child-process';
import { manageProcess } from '@ops/machine/managed-process';
import { captureLog } from '@ops/test-kit/logs';
import type { Undo } from '../undo.ts';

/** Started, told of and stopped as a process of the system is. */
export async function startBare(
  undo: Undo,
  name: 'bare-app' | 'bare-proxy' | 'bare-express',
  told: Record<string, string> = {},
): Promise<{ port: number; pid: number }> {
  const entry = fileURLToPath(new URL(`${name}-process.ts`, import.meta.url));
  const env = { PATH: process.env.PATH, NODE_ENV: 'production', ...told };
  const log = captureLog(name);
  const bare = manageProcess({ name, entry, env }, log, (_, ending) => log(`${name} ${describeEnding(ending)}`));
  undo.add(() => bare.stop(1_000));
  const { port } = await bare.start();
  return { port: port as number, pid: bare.pid as number };
}
