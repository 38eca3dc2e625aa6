import { isClosed, renewalStatuses, type Status, type Window, windows } from './renewal-words.ts';
import { type Rung, rungs } from './rung-names.ts';

/** What the queue shows, as an address says it. */
export interface RenewalsSearch {
  window?: Window;
  service_type?: string;
  status?: Status;
  /** An agent's id; empty: nobody's. */
  agent?: string;
  /** The Monday of the week in which they are due. */
  week?: string;
  /** The id of a refresh: those it alerted, whatever became of them and whenever they are due. */
  run?: string;
  /** With a refresh: those it alerted at this rung. */
  rung?: Rung;
  /** Those alone that nobody is at. */
  risk?: true;
  /** The one in focus. */
  renewal?: string;
  /** A new one is being written down. */
  create?: true;
}

export function renewalsSearch(search: Record<string, unknown>): RenewalsSearch {
  const window = windows.find((one) => one === String(search.window));
  const status = renewalStatuses.find((one) => one === search.status);
  const rung = rungs.find((one) => one === String(search.rung));
  return {
    ...(window && { window }),
    ...(status && { status }),
    ...(isText(search.service_type) && { service_type: search.service_type }),
    ...(typeof search.agent === 'string' && { agent: search.agent }),
    ...(isDay(search.week) && { week: search.week }),
    ...(isText(search.run) && { run: search.run, ...(rung && { rung }) }),
    ...(search.risk === true && { risk: true }),
    ...(isText(search.renewal) && { renewal: search.renewal }),
    ...(search.create === true && { create: true }),
  };
}

export const usualWindow: Window = '90';

/** Within how many days it falls due; undefined: at any time, as what is of one week, of a refresh, or closed. */
export const windowOf = ({ window = usualWindow, week, run, status }: RenewalsSearch): Window | undefined =>
  week || run || isClosed(status) ? undefined : window;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isDay = (value: unknown): value is string => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
