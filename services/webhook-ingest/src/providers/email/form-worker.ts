import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread } from '@ops/service-kit/threads';
import { type FormField, parseForm } from './form-fields-reader.ts';

const { contentType, body } = workerData as { contentType: string; body: Uint8Array };
const parsed = await parseForm(contentType, Buffer.from(body.buffer, body.byteOffset, body.length)).then(
  (value): FromThread<FormField[]> => ({ value }),
  (): FromThread<FormField[]> => ({ problem: 'It is no form, or one beyond reason' }),
);
parentPort?.postMessage(parsed);
