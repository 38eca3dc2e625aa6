import { compareLoads } from '../compare-loads.ts';
import { startBarePair } from '../floors/bare-pair.ts';
import { openTables } from '../floors/tables.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { startGenerator } from '../load.ts';
import { fillLogs } from '../many-communications.ts';
import { ourProcesses } from '../processor-time.ts';
import { asStaff, customerId, introduce, openSystem } from '../traffic.ts';

const records = 10_000;
const unread = 2_000;

export const list: Line = {
  name: 'list',
  title: `GET communications?limit=20 of a customer of ${records} records, ${unread} unread, through the gateway`,
  floor: 'the same rows and the count of unread by a bare express + pg behind a bare http-proxy-middleware',
  minutes: 1,
  measure,
};

async function measure(bench: Bench): Promise<Figure[]> {
  const system = await openSystem(bench);
  const send = await startGenerator(bench.undo);
  await introduce(system);
  const { database, comms } = await openTables(bench.undo);
  const ours = system.database('comms');
  for (const db of [ours, comms]) await fillLogs(db, [{ customer: customerId(0), records, unread }]);
  const bare = await startBarePair(bench.undo, database.urls.comms);
  const path = `/ops/customers/${customerId(0)}/communications?limit=20`;
  const requests = async () => [{ method: 'GET' as const, path, headers: await asStaff(system) }];
  return compareLoads(bench, {
    what: 'GET communications?limit=20',
    connections: 32,
    send,
    aim: { of: 'ratio', atLeast: 0.5 },
    system: { origin: system.gatewayUrl, requests, processes: await ourProcesses(), db: ours },
    floor: { ...bare, requests, db: comms },
  });
}
