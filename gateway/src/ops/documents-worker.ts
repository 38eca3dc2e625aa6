import { parentPort } from 'node:worker_threads';
import { asyncApiDocument } from '@ops/contracts/asyncapi';
import { openApiDocument } from '@ops/contracts/openapi';
import type { FromThread } from '@ops/service-kit/threads';

export interface Documents {
  openApi: string;
  asyncApi: string;
}

const value = { openApi: JSON.stringify(openApiDocument()), asyncApi: JSON.stringify(asyncApiDocument()) };
parentPort?.postMessage({ value } satisfies FromThread<Documents>);
