import { parentPort, workerData } from 'node:worker_threads';
import type { FromThread } from '@ops/service-kit/threads';
import { sanitise } from './sanitise.rules.ts';
import type { HtmlOfMail } from './sanitise-client.ts';

const { html, pictures } = workerData as HtmlOfMail;
const text = new TextDecoder().decode(html);
const value = sanitise(text, (contentId) => pictures.get(contentId));
parentPort?.postMessage({ value } satisfies FromThread<string>);
