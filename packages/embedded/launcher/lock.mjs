import { mkdir, rm, stat, utimes } from 'node:fs/promises';

const refreshMs = 1000;
const staleMs = 10_000;

/**
 * One process at a time, of however many on however many machines share the checkout. The holder keeps the lock's time
 * fresh; one that died stops doing so, and whoever waits takes over.
 */
export async function withLock(path, work) {
  await acquire(path);
  const refresh = setInterval(() => utimes(path, new Date(), new Date()).catch(() => undefined), refreshMs);
  const release = () => rm(path, { recursive: true, force: true });
  try {
    return await work();
  } finally {
    clearInterval(refresh);
    await release();
  }
}

async function acquire(path) {
  for (let told = false; ; told = true) {
    try {
      return await mkdir(path);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const age =
      Date.now() -
      (await stat(path).then(
        (found) => found.mtimeMs,
        () => Date.now(),
      ));
    if (age > staleMs) await rm(path, { recursive: true, force: true });
    else if (!told) console.error('- another start of this checkout is installing: waiting for it ...');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
