import { expect } from '@jest/globals';
import type { CreateCommunication } from '@ops/contracts/resources/communication';
import type { Role } from '@ops/contracts/roles';
import { eventually, type Patience } from '@ops/test-kit/eventually';
import type { Random } from '@ops/test-kit/random';
import type { System } from '@ops/test-system/system';
import type { Client } from './pages.ts';

export interface NewRecord {
  customer: string;
  message: CreateCommunication;
}

interface Creating {
  system: System;
  role: Role;
  records: readonly NewRecord[];
  workers: number;
  /** What is done to the system after so many were accepted. The others go on meanwhile. */
  blows: ReadonlyMap<number, () => Promise<void>>;
}

/** Creates them all, several at a time, whatever happens to the system. Resolves with their ids, in the given order. */
export async function createThrough({ system, role, records, workers, blows }: Creating): Promise<string[]> {
  const ids: string[] = [];
  let next = 0;
  let accepted = 0;
  let turn = Promise.resolve();
  const work = async () => {
    const client = await system.client(role);
    for (let i = next++; i < records.length; i = next++) {
      ids[i] = await createUntilAccepted(client, records[i] as NewRecord, `create-${i}`);
      accepted += 1;
      const blow = blows.get(accepted);
      if (blow) {
        turn = turn.then(blow);
        await turn;
      }
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return ids;
}

/** As a careful client does it: the same key until there is an answer that says it is kept. */
export function createUntilAccepted(
  client: Client,
  { customer, message }: NewRecord,
  key: string,
  patience?: Patience,
): Promise<string> {
  const headers = { 'idempotency-key': key };
  return eventually(async () => {
    const answer = await client.post(`/ops/customers/${customer}/communications`, message, { headers });
    expect(answer.status).toBe(201);
    return (answer.body as { id: string }).id;
  }, patience);
}

/** One blow each, at moments of their own among so many creates. */
export function atRandomMoments<T>(random: Random, creates: number, blows: readonly T[]): Map<number, T> {
  const moments = new Set<number>();
  while (moments.size < blows.length) moments.add(1 + random.below(creates - 1));
  return new Map([...moments].map((moment, i) => [moment, blows[i] as T]));
}
