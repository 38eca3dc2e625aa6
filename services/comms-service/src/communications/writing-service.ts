import { type Communication, isInternal, type OutsideType } from '@ops/contracts/resources/communication';
import type { Trx } from '@ops/service-kit/database';
import { idAddressed } from '../addressing/addressing-service.ts';
import { survivorsAmong } from '../aliases/alias-service.ts';
import { getCustomer } from '../customers/customer-service.ts';
import type { NewRecord } from '../records/record.rules.ts';
import { idOfRecord, insertNew } from '../records/record-service.ts';

/** Writes records of customers whom the ids they name lead to; gives them back in the order given. */
export async function writeRecords(
  trx: Trx,
  records: readonly NewRecord[],
  homes: ReadonlyMap<string, string>,
): Promise<Communication[]> {
  const inserted = await insertNew(trx, await placed(trx, records, homes));
  return records.map(({ id }) => {
    const record = inserted.get(id);
    if (!record) throw new Error(`${id} was not written`);
    return record;
  });
}

/**
 * Under which id each is written, so that it goes along should a merge be taken back: under that of what it answers, the one that was
 * named, or the one that brought the address it goes to. In the order of those whom they are of, so that two that write to the same
 * wait for each other.
 */
async function placed(trx: Trx, records: readonly NewRecord[], homes: ReadonlyMap<string, string>) {
  const ofHomes = records.map((record) => ({ record, home: homes.get(record.customer_id) ?? record.customer_id }));
  const survivors = await survivorsAmong(trx, [
    ...new Set(ofHomes.flatMap(({ record, home }) => (goesOut(record) ? home : []))),
  ]);
  const all: NewRecord[] = [];
  for (const { record, home } of ofHomes.toSorted((one, other) =>
    one.home < other.home ? -1 : Number(one.home > other.home),
  )) {
    const isOfSurvivor = goesOut(record) && record.customer_id === home && survivors.has(home);
    if (record.in_reply_to !== null)
      all.push({ ...record, customer_id: (await idOfRecord(trx, record.in_reply_to)) ?? home });
    else all.push(isOfSurvivor ? { ...record, customer_id: await idAddressedBy(trx, record, home) } : record);
  }
  return all;
}

const goesOut = ({ direction, type }: NewRecord): boolean => direction === 'OUTBOUND' && !isInternal(type);

const idAddressedBy = async (trx: Trx, { type, automated, created_at }: NewRecord, home: string): Promise<string> =>
  idAddressed(
    trx,
    { type: type as OutsideType, in_reply_to: null, automated },
    await getCustomer(trx, home),
    created_at,
  );
