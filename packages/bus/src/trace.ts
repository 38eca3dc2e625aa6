import { AsyncLocalStorage } from 'node:async_hooks';

/** The request or event being worked on; log lines and outgoing events carry it on. */
export interface Trace {
  requestId: string;
  traceparent: string;
}

export const currentTrace = new AsyncLocalStorage<Trace>();
