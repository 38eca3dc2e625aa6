import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceNames } from '@ops/contracts/routes';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, startSystem } from '@ops/test-kit/system';
import { seeded } from './random.ts';
import { recorderQueue } from './recorder-queue.ts';

const CREATES = Number(process.env.CHAOS_CREATES ?? 5_000);
const KILLS = Number(process.env.CHAOS_KILLS ?? 20);
const SEED = Number(process.env.CHAOS_SEED ?? 1);
const WORKERS = 16;
/** Any process may go; those a message passes through go more often. */
const onTheWay = ['comms-service', 'gateway', 'recorder'];
const victims = [...onTheWay, ...onTheWay, ...serviceNames, 'dev-idp'];
const bodies = Array.from({ length: CREATES }, canary);
const customers = Array.from({ length: 50 }, (_, i) => `C-chaos-${i}`);

describe.each(['rabbitmq', 'postgres'] as const)('processes killed at random moments, %s bus', (bus) => {
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

  test(`${CREATES} creates through ${KILLS} kills: nothing lost, nothing doubled, each event effective once`, async () => {
    const random = seeded(SEED);
    const kills = killPlan(random);
    const accepted = new Map<string, string>();
    let next = 0;
    let turn = Promise.resolve();

    const work = async () => {
      const client = await system.client('automation');
      for (let i = next++; i < CREATES; i = next++) {
        const customer = customers[i % customers.length] as string;
        accepted.set(bodies[i] as string, await createUntilAccepted(client, customer, i));
        const victim = kills.get(accepted.size);
        if (victim) {
          turn = turn.then(() => system.kill(victim)).then(() => system.restart(victim));
          await turn;
        }
      }
    };
    await Promise.all(Array.from({ length: WORKERS }, work));

    const stored = await everyCommunication(system);
    expect(stored.size).toBe(CREATES);
    for (const [body, id] of accepted) expect(stored.get(body)).toEqual([id]);
    await eventually(
      async () => {
        const effects: { communication_id: string }[] = await system.database('notifier')('recorded').select();
        expect(new Set(effects.map((e) => e.communication_id)).size).toBe(CREATES);
        expect(effects.length).toBe(CREATES);
      },
      { timeoutMs: 60_000 },
    );
  }, 600_000);
});

/** After how many accepted creates whom to kill. */
function killPlan(random: ReturnType<typeof seeded>): Map<number, string> {
  const plan = new Map<number, string>();
  while (plan.size < KILLS) plan.set(1 + random.below(CREATES - 1), random.pick(victims));
  return plan;
}

/** As a careful client does it: the same key until there is an answer that says it is kept. */
async function createUntilAccepted(
  client: Awaited<ReturnType<System['client']>>,
  customer: string,
  i: number,
): Promise<string> {
  const body = { type: 'MESSAGING_APP', direction: 'INBOUND', body: bodies[i] };
  const headers = { 'idempotency-key': `create-${i}` };
  return eventually(
    async () => {
      const answer = await client.post(`/ops/customers/${customer}/communications`, body, { headers });
      expect(answer.status).toBe(201);
      return (answer.body as { id: string }).id;
    },
    { timeoutMs: 60_000 },
  );
}

/** Every stored record's ids by its body, read through the front door page by page. */
async function everyCommunication(system: System): Promise<Map<string, string[]>> {
  const client = await system.client('automation');
  const found = new Map<string, string[]>();
  for (const id of customers) {
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await client.get(`/ops/customers/${id}/communications?limit=200${cursor && `&cursor=${cursor}`}`);
      const { data, next_cursor } = page.body as { data: { id: string; body: string }[]; next_cursor: string | null };
      for (const record of data) found.set(record.body, [...(found.get(record.body) ?? []), record.id]);
      cursor = next_cursor;
    }
  }
  return found;
}
