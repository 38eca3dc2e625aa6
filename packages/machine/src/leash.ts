import { spawn } from 'node:child_process';

/**
 * Runs the shell command once this process is gone, however it went: SIGKILL runs no handler here, but it closes the
 * pipe the waiting shell reads from. Undone by calling what it gives back.
 */
export function leash(command: string): () => void {
  const child = spawn('sh', ['-c', 'read -r line || eval "$1"', 'leash', command], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return () => void child.stdin.end('released\n');
}

/** One word for the shell, whatever it holds. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
