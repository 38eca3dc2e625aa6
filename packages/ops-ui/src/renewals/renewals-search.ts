import { renewalStatuses, type Status, type Window, windows } from './renewal-words.ts';

/** What the queue shows, as an address says it. */
export interface RenewalsSearch {
  window?: Window;
  service_type?: string;
  status?: Status;
  /** An agent's id; empty: nobody's. */
  agent?: string;
  /** The Monday of the week in which they are due. */
  week?: string;
  /** The one in focus. */
  renewal?: string;
  /** A new one is being written down. */
  create?: true;
}

export function renewalsSearch(search: Record<string, unknown>): RenewalsSearch {
  const window = windows.find((one) => one === String(search.window));
  const status = renewalStatuses.find((one) => one === search.status);
  return {
    ...(window && { window }),
    ...(status && { status }),
    ...(isText(search.service_type) && { service_type: search.service_type }),
    ...(typeof search.agent === 'string' && { agent: search.agent }),
    ...(isDay(search.week) && { week: search.week }),
    ...(isText(search.renewal) && { renewal: search.renewal }),
    ...(search.create === true && { create: true }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
