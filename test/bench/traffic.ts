import type { Db } from '@ops/service-kit/database';
import { eventually } from '@ops/test-kit/eventually';
import { canary } from '@ops/test-kit/logs';
import { type System, type SystemOptions, startSystem } from '@ops/test-system/system';
import { appPayload, appText, asProvider } from '../webhooks/as-provider.ts';
import { importFile } from './csv-import.ts';
import type { Sent } from './generator.ts';
import type { Bench } from './line.ts';
import type { Generator } from './load.ts';

export const customers = 500;
export const customerId = (n: number) => `C-bench-${n % customers}`;
const phoneOf = (n: number) => `+44770${String(n % customers).padStart(7, '0')}`;

/** Nobody is turned away for asking often. */
export async function openSystem({ bus, undo }: Bench, more: Partial<SystemOptions> = {}): Promise<System> {
  const env = { RATE_LIMIT_PER_MINUTE: '100000000', REFRESH_CRON: 'off', ...more.env };
  const system = await startSystem({ bus, ...more, env });
  undo.add(system.stop);
  return system;
}

export async function introduce(system: System): Promise<void> {
  const staff = await system.client('staff');
  await inParallel(8, customers, (n) =>
    staff.put(`/ops/customers/${customerId(n)}`, { name: `Customer ${n}`, phones: [phoneOf(n)] }),
  );
  await settled(system);
}

export interface Person {
  id: string;
  name: string;
  phone: string;
  email: string;
}

/** They have a phone and a mailbox, and the firm takes them in with a file. */
export async function meet(system: System, send: Generator, people: readonly Person[]): Promise<void> {
  const requests = people.map(({ name, phone, email }) => posted('/sim/people', { name, phone, email }));
  await send({ origin: system.simulator.url, requests, connections: 8, until: { requests: people.length } });
  const lines = people.map(({ id, name, phone, email }) => [id, name, phone, email].join());
  await importFile(system, 'customers', ['customer_id,name,phones,emails', ...lines]);
  await settled(system);
}

export const posted = (path: string, body: object, headers: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const asStaff = async (system: System) => ({ authorization: `Bearer ${await system.token('staff')}` });

/** As introduced to the system, in tables that nothing else keeps. */
export async function addCustomers(comms: Db): Promise<void> {
  const now = new Date();
  const rows = Array.from({ length: customers }, (_, n) => ({
    id: customerId(n),
    name: `Customer ${n}`,
    name_folded: `customer ${n}`,
    do_not_contact: false,
    version: 1,
    created_at: now,
    updated_at: now,
  }));
  await comms.batchInsert('customers', rows, 500);
}

/** One message each, signed as the provider signs, the customers in turn. */
export function webhooksOf(gatewayUrl: string, name: string, count: number): Sent[] {
  const provider = asProvider(gatewayUrl);
  return Array.from({ length: count }, (_, n) => {
    const text = `Hello, my order has not come yet. Could you look where it is, please? ${canary()}`;
    const message = appText(`wamid.bench.${name}.${n}`, phoneOf(n).slice(1), text);
    const { path, headers, body } = provider.app(appPayload([message]));
    return { method: 'POST', path, headers, body: body.toString() };
  });
}

export const each = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));

/** A customer's log and card, the queue, who waits for an answer, and one in five writes. */
export async function askedByStaff(system: System, count: number): Promise<Sent[]> {
  const headers = await asStaff(system);
  const card = (n: number) => `/ops/customers/${customerId(n)}`;
  const log = (n: number) => `${card(n)}/communications`;
  return each(count, (n): Sent => {
    const path = [`${log(n)}?limit=20`, '/ops/renewals?window=30', card(n), '/ops/attention'][n % 5];
    if (path) return { method: 'GET', path, headers };
    return posted(log(n), { type: 'SMS', direction: 'INBOUND', body: `Where is my permit? ${canary()}` }, headers);
  });
}

/** How many messages a provider has taken. */
export async function handedOver({ database }: System): Promise<number> {
  const left = database('notifier')('sends').whereIn('status', ['SENT', 'DELIVERED', 'READ']);
  return Number((await left.count({ n: '*' }))[0]?.n);
}

/** Nothing is on its way any more, so what is measured next has the machine to itself. */
export async function settled({ eventsWaiting }: System): Promise<void> {
  const nothingWaits = async () => {
    const waiting = await eventsWaiting();
    if (Object.keys(waiting).length > 0) throw new Error(`events still wait: ${JSON.stringify(waiting)}`);
  };
  await eventually(nothingWaits, { timeoutMs: 300_000, everyMs: 250 });
}

async function inParallel(workers: number, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: workers }, one));
}
