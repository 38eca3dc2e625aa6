import { canary } from '@ops/test-kit/logs';
import type { System } from '@ops/test-system/system';
import { compareLoads } from '../compare-loads.ts';
import { startBarePair } from '../floors/bare-pair.ts';
import { openTables } from '../floors/tables.ts';
import type { Sent } from '../generator.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { startGenerator } from '../load.ts';
import { ourProcesses } from '../processor-time.ts';
import { recordSamples } from '../samples.ts';
import { asStaff, customerId, customers, introduce, openSystem, settled } from '../traffic.ts';

const path = (n: number) => `/ops/customers/${customerId(n)}/communications`;

export const post: Line = {
  name: 'post',
  title: 'POST communications: staff log an INBOUND text message, through the gateway',
  floor:
    'the same rows in the same tables, in one statement, by a bare express + pg behind a bare http-proxy-middleware',
  minutes: 1,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench);
  const send = await startGenerator(bench.undo);
  await introduce(system);
  await logOne(system);
  const { database, comms } = await openTables(bench.undo);
  const bare = await startBarePair(bench.undo, database.urls.comms, await recordSamples(system));
  const requests = async () => messagesOf(await asStaff(system));
  return compareLoads(bench, {
    what: 'POST communications',
    connections: 32,
    send,
    aim: { of: 'ratio', atLeast: 0.4 },
    system: {
      origin: system.gatewayUrl,
      requests,
      processes: await ourProcesses(),
      db: system.database('comms'),
      writes: { comms: system.database('comms') },
      settled: () => settled(system),
    },
    floor: { ...bare, requests, db: comms, writes: { comms } },
  });
}

const body = () =>
  JSON.stringify({
    type: 'SMS',
    direction: 'INBOUND',
    body: `My order has not come yet. Could you look where it is, please? ${canary()}`,
  });

const messagesOf = (headers: Record<string, string>): Sent[] =>
  Array.from({ length: customers }, (_, n) => ({
    method: 'POST',
    path: path(n),
    headers: { ...headers, 'content-type': 'application/json' },
    body: body(),
  }));

/** For the floor to write the same. */
async function logOne(system: System): Promise<void> {
  const staff = await system.client('staff');
  const made = await staff.post(path(0), JSON.parse(body()));
  if (made.status !== 201) throw new Error(`a message was answered ${made.status}: ${JSON.stringify(made.body)}`);
  await settled(system);
}
