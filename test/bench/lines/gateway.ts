import { generateSecrets } from '@ops/embedded/secrets';
import { createIdentitySigner, identityHeader } from '@ops/service-kit/identity';
import { compareLoads } from '../compare-loads.ts';
import type { Sent } from '../generator.ts';
import type { Bench, Figure, Line } from '../line.ts';
import { startGenerator } from '../load.ts';
import { ourProcesses } from '../processor-time.ts';
import { asStaff, customerId, customers, introduce, openSystem } from '../traffic.ts';

export const gateway: Line = {
  name: 'gateway',
  title: "the gateway's share: GET of a customer through it",
  floor: 'straight at comms-service, with an internal identity signed as the gateway signs',
  minutes: 1,
  measure,
};

const gets = (headers: Record<string, string>): Sent[] =>
  Array.from({ length: customers }, (_, n) => ({ method: 'GET', path: `/ops/customers/${customerId(n)}`, headers }));

async function measure(bench: Bench): Promise<Figure[]> {
  const secrets = generateSecrets();
  const system = await openSystem(bench, { secrets });
  const send = await startGenerator(bench.undo);
  await introduce(system);
  const sign = createIdentitySigner(JSON.stringify(secrets.keys.gateway.private));
  const identity = () => sign({ sub: 'bench', role: 'staff', name: 'Bench' }, 'comms-service');
  const [processes, db] = [await ourProcesses(), system.database('comms')];
  return compareLoads(bench, {
    what: 'GET of a customer',
    connections: 32,
    send,
    aim: { of: 'ratio', atLeast: 0.65 },
    system: { origin: system.gatewayUrl, requests: async () => gets(await asStaff(system)), processes, db },
    floor: {
      origin: system.serviceUrl('comms-service'),
      requests: async () => gets({ [identityHeader]: await identity() }),
      processes,
      db,
    },
  });
}
