import { parentPort, workerData } from 'node:worker_threads';
import type { Mail } from './mail.ts';
import { parseMime } from './parse-mime.ts';

export type Parsed = { mail: Mail } | { problem: string };

const parsed = await parseMime(workerData).then(
  (mail): Parsed => ({ mail }),
  (): Parsed => ({ problem: 'The mail goes beyond reason' }),
);
parentPort?.postMessage(parsed);
