import { isNativeError } from 'node:util/types';
import { isOutdatedPlan } from '@ops/bus/transaction';

/**
 * Which database errors heal by themselves. Classes 08 and 53 and the codes below mean that the server, the link or
 * its capacity is gone for the moment; a statement or lock that ran into its time limit may well work the next time.
 */
const passing = new Set([
  '57P01', // terminated by an administrator
  '57P02', // server crashed
  '57P03', // starting up
  '57P05', // idle session ended
  '57014', // statement timeout
  '55P03', // lock timeout
  '25P03', // idle in transaction timeout
  '25006', // read-only: a standby was reached
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // a socket file that is not there yet
]);

/** pg and knex report some lost connections by words alone. */
const lostWords =
  /Connection terminated|Connection ended unexpectedly|Client has encountered a connection error|timeout expired|Query read timeout|Timeout acquiring a connection|Unable to acquire a connection|aborted by the pool/i;

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if ('errors' in error && Array.isArray(error.errors) && error.errors.some(isDatabaseUnavailable)) return true;
  const code = codeOf(error);
  if (passing.has(code) || /^(08|53)[0-9A-Z]{3}$/.test(code)) return isFromDatabase(error, code);
  return isRetryable(error) || lostWords.test(error.message);
}

/** It would be the same for whoever asks, as a lock that somebody holds is not. */
export const isDatabaseAway = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && !isRetryable(error) && !(isNativeError(error) && codeOf(error) === '55P03');

/**
 * Two transactions met and this one was chosen to give way: running it again is what Postgres asks for. So it is when a table
 * changed under a prepared statement.
 */
export const isRetryable = (error: unknown): boolean =>
  isNativeError(error) && (['40001', '40P01'].includes(codeOf(error)) || isOutdatedPlan(error));

/** The connection was there and is gone, as against one that cannot be made. */
export const isLostConnection = (error: unknown): boolean =>
  isNativeError(error) &&
  (['57P01', '57P02', '57P05', 'ECONNRESET', 'EPIPE'].includes(codeOf(error)) ||
    /Connection (terminated|ended)/.test(error.message));

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/** A file that is missing is not a database that is down: ENOENT counts for connecting only. */
const isFromDatabase = (error: Error, code: string): boolean =>
  code !== 'ENOENT' || ('syscall' in error && error.syscall === 'connect');
