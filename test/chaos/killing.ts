import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { seeded } from '@ops/test-kit/random';
import { type System, type SystemOptions, startSystem } from '@ops/test-system/system';
import { atRandomMoments, createThrough, type NewRecord } from './creating.ts';
import { everyPage } from './pages.ts';
import { recorderQueue } from './recorder-queue.ts';

const SEED = Number(process.env.CHAOS_SEED ?? 1);
const WORKERS = 16;

interface Killing {
  bus: SystemOptions['bus'];
  creates: number;
  kills: number;
}

/** Any process may go; those a message passes through go more often. */
const onTheWay = ['comms-service', 'gateway', 'recorder'];
const victims = [...onTheWay, ...onTheWay, ...serviceNames, 'dev-idp'];
const customers = Array.from({ length: 50 }, (_, i) => `C-chaos-${i}`);

export const killedAtRandomMoments = ({ bus, creates, kills }: Killing) =>
  describe(`processes killed at random moments, ${bus} bus`, () => {
    const bodies = Array.from({ length: creates }, canary);
    const records: NewRecord[] = bodies.map((body, i) => ({
      customer: customers[i % customers.length] as string,
      message: { type: 'MESSAGING_APP', direction: 'INBOUND', body },
    }));
    let system: System;
    beforeAll(async () => {
      system = await startSystem({ bus });
      const client = await system.client('automation');
      for (const id of customers) await client.put(`/ops/customers/${id}`, { name: 'Demo Customer' });
      const notifier = system.database('notifier');
      await notifier.schema.createTable('recorded', (t) => t.uuid('communication_id').notNullable());
      await system.addProcess('recorder', new URL('./recorder.ts', import.meta.url), 'notifier', [recorderQueue]);
    });
    afterAll(() => system?.stop());

    test(`${creates} creates through ${kills} kills: nothing lost, nothing doubled, each event effective once`, async () => {
      const random = seeded(SEED);
      const killed = Array.from({ length: kills }, () => {
        const victim = random.pick(victims);
        return () => system.kill(victim).then(() => system.restart(victim));
      });
      const blows = atRandomMoments(random, creates, killed);
      const ids = await createThrough({ system, role: 'automation', records, workers: WORKERS, blows });

      const stored = await everyCommunication(system);
      expect(stored.size).toBe(creates);
      for (const [i, id] of ids.entries()) expect(stored.get(bodies[i] as string)).toEqual([id]);
      await eventually(async () => {
        const effects: { communication_id: string }[] = await system.database('notifier')('recorded').select();
        expect(new Set(effects.map((e) => e.communication_id)).size).toBe(creates);
        expect(effects.length).toBe(creates);
      });
    });
  });

/** Every stored record's ids by its body, read through the front door page by page. */
async function everyCommunication(system: System): Promise<Map<string, string[]>> {
  const client = await system.client('automation');
  const found = new Map<string, string[]>();
  for (const id of customers) {
    const { data } = await everyPage<{ id: string; body: string }>(
      client,
      `/ops/customers/${id}/communications?limit=200`,
    );
    for (const record of data) found.set(record.body, [...(found.get(record.body) ?? []), record.id]);
  }
  return found;
}
