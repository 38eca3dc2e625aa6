import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread } from '../src/process/threads.ts';

/** What a thread of the suite does: as it is told. */
const { does, memory } = workerData as { does: string; memory?: SharedArrayBuffer };

const tell = (told: FromThread<string>) => parentPort?.postMessage(told);

if (does === 'answer') tell({ value: 'read' });
if (does === 'give up') tell({ problem: 'It goes beyond reason' });
if (does === 'fail') throw new Error('a bug');
if (does === 'go on') for (;;);
if (does === 'grow') for (const kept: string[][] = []; ; ) kept.push(Array.from({ length: 100_000 }, String));
if (does === 'wait' && memory) {
  Atomics.wait(new Int32Array(memory), 0, 0);
  tell({ value: 'waited' });
}
