type Log = (fields: object, message: string) => void;

/** What the bus needs of a logger; a pino logger is one. */
export interface BusLogger {
  debug: Log;
  info: Log;
  warn: Log;
  error: Log;
}
