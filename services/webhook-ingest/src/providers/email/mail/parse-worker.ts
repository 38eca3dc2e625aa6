import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread } from '@ops/service-kit/threads';
import type { Mail } from './mail.rules.ts';
import { parseMime } from './mime-reader.ts';

const parsed = await parseMime(workerData).then(
  (value): FromThread<Mail> => ({ value }),
  (): FromThread<Mail> => ({ problem: 'The mail goes beyond reason' }),
);
parentPort?.postMessage(parsed);
