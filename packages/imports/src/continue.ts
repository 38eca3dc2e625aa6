import { reasonOf } from '@ops/bus/errors';
import type { Envelope } from '@ops/contracts/envelope';
import { type EventOf, events } from '@ops/contracts/events';
import type { Trx } from '@ops/service-kit/database';
import { check } from './check.ts';
import { CsvFileError } from './csv-text.ts';
import type { ImportKind, StoredImport } from './import.ts';
import * as store from './import-store.ts';
import { end, type Importing, mayHeal } from './importing.ts';
import { takeIn } from './take.ts';

/** One batch of an import for each message; the next message is of the same transaction, until there is nothing left. */
export async function continueImports<Row>(
  importing: Importing<Row>,
  trx: Trx,
  messages: readonly EventOf<ImportKind<Row>['continues']>[],
): Promise<void> {
  for (const { data } of messages) {
    const current = await lockOpen(trx, data.import_id);
    if (current) await goForward(importing, trx, current);
  }
}

/** What the message asks for failed again and again, or killed process after process: nobody goes on with it any more. */
export async function giveUpImport<Row>(importing: Importing<Row>, trx: Trx, message: Envelope): Promise<void> {
  const { data } = events[importing.kind.continues].data.safeParse(message.data);
  const current = data && (await lockOpen(trx, data.import_id));
  if (!current) return;
  const failure = `It broke off again and again at the same place, ${placeOf(current)}; send the file again, in parts`;
  await end(importing, trx, current.id, { status: 'FAILED', failure });
}

/** Held to the commit, so that messages of one import take turns. One that comes late finds nothing to be done. */
async function lockOpen(trx: Trx, id: string): Promise<StoredImport | undefined> {
  const found = await store.lockImport(trx, id);
  return found && ['CHECKING', 'RUNNING'].includes(found.status) ? found : undefined;
}

/** What heals itself is waited for, however long it takes. Anything else ends the import, and what the batch wrote is undone. */
async function goForward<Row>(importing: Importing<Row>, trx: Trx, found: StoredImport): Promise<void> {
  try {
    const step = found.status === 'CHECKING' ? check : takeIn;
    await trx.transaction((savepoint) => step(importing, savepoint, found));
  } catch (error) {
    if (mayHeal(error)) throw new WaitsError(error);
    await end(importing, trx, found.id, { status: 'FAILED', failure: failureOf(importing, found, error) });
  }
}

/** No fault of the import, so none of its tries. */
class WaitsError extends Error {
  override name = 'WaitsError';
  readonly away = true;

  constructor(cause: unknown) {
    super(`an import waits: ${reasonOf(cause)}`, { cause });
  }
}

function failureOf<Row>({ logger }: Importing<Row>, { id }: StoredImport, error: unknown): string {
  if (error instanceof CsvFileError) return error.message;
  logger.error({ err: error, import_id: id }, 'an import failed');
  return 'It broke off by a fault of the service, whose log tells why; send the file again';
}

const placeOf = ({ status, counts }: StoredImport): string =>
  status === 'CHECKING' ? `with ${counts.rows} rows looked through` : `with ${counts.done} rows taken in`;
