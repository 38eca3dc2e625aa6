import type pg from 'pg';

interface Statement {
  text: string;
  values: readonly unknown[];
  name?: string;
}

/** What one connection was asked so far; a text that came again has a name. */
interface Known {
  edition: number;
  names: Map<string, string | undefined>;
  named: number;
}

/** A server keeps each until its connection ends, so what is put together anew each time must not fill it. */
const mostNamed = 150;
const mostSeen = 1_000;
const longestText = 5_000;

/**
 * Names for statements, by which the server parses and plans one but once a connection. A text is named when it comes to a
 * connection the second time: lists and batches make texts of every length, most of them once.
 */
export function createPreparedStatements() {
  let edition = 0;
  const known = new WeakMap<pg.Client, Known>();
  const of = (connection: pg.Client): Known => {
    const found = known.get(connection);
    if (found?.edition === edition) return found;
    const fresh = { edition, names: new Map(), named: 0 };
    known.set(connection, fresh);
    return fresh;
  };
  return {
    /** The statement as this connection should get it. */
    named(connection: pg.Client, statement: unknown): unknown {
      if (!isWithValues(statement) || statement.text.length > longestText) return statement;
      const name = nameOf(of(connection), statement.text);
      return name === undefined ? statement : { ...statement, name };
    },
    /** From now on every statement is prepared anew: tables changed under those that are. */
    renew() {
      edition += 1;
    },
  };
}

/** Without values it may be several statements at once, which cannot be prepared. */
function isWithValues(statement: unknown): statement is Statement {
  const { text, values, name } = Object(statement) as Partial<Statement>;
  return typeof text === 'string' && name === undefined && Array.isArray(values) && values.length > 0;
}

function nameOf(known: Known, text: string): string | undefined {
  const { names, edition } = known;
  if (!names.has(text)) {
    if (names.size < mostSeen) names.set(text, undefined);
    return undefined;
  }
  const name = names.get(text);
  if (name !== undefined || known.named >= mostNamed) return name;
  known.named += 1;
  names.set(text, `s${edition}_${known.named}`);
  return names.get(text);
}
