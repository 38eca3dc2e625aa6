import type { CsvImport } from '@ops/contracts/resources/import';
import { eventually } from '@ops/test-kit/eventually';
import type { System } from '@ops/test-system/system';

/** Sends a file to be taken in, and waits until every row of it was. Answers how many seconds that took. */
export async function importFile(system: System, what: 'customers' | 'renewals', rows: readonly string[]) {
  const staff = await system.client('staff');
  const began = performance.now();
  const headers = { 'content-type': 'text/csv' };
  const sent = await staff.post(`/ops/imports/${what}?dry_run=false`, Buffer.from(rows.join('\n')), { headers });
  if (sent.status !== 202) throw new Error(`a file was answered ${sent.status}: ${JSON.stringify(sent.body)}`);
  const path = `/ops/imports/${what}/${(sent.body as CsvImport).id}`;
  const over = await eventually(async () => expectOver((await staff.get(path)).body as CsvImport), patiently);
  if (over.status !== 'COMPLETED' || over.counts.done !== rows.length - 1)
    throw new Error(`an import ended so: ${JSON.stringify(over)}`);
  return (performance.now() - began) / 1000;
}

const patiently = { timeoutMs: 900_000, everyMs: 250 };

function expectOver(found: CsvImport): CsvImport {
  if (found.finished_at === null) throw new Error(`an import is not over: ${JSON.stringify(found.counts)}`);
  return found;
}
