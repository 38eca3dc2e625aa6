import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Role } from '@ops/contracts/roles';
import { serviceNames } from '@ops/contracts/routes';
import type { ApiClient } from '@ops/contracts/test/http-client';
import { readMetrics } from '@ops/test-kit/metrics';
import { type System, startSystem } from '@ops/test-system/system';
import fc from 'fast-check';
import { createSeen, type DrawnRequest, drawnRequest, ofEveryRouteAndRole } from './drawn-requests.ts';

/** More by hand: `FUZZ_REQUESTS=50000`. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 3_000);
const atOnce = 10;
const seed = 2_026;
const mib = 1024 ** 2;
const customers = Array.from({ length: 30 }, (_, at) => `C-drawn-${at + 1}`);

let system: System;
const clients = new Map<string, Promise<ApiClient>>();
const clientOf = (role: Role, sub?: string): Promise<ApiClient> => {
  const key = `${role} ${sub}`;
  const client = clients.get(key) ?? system.client(role, sub);
  clients.set(key, client);
  return client;
};

beforeAll(async () => {
  const env = { RATE_LIMIT_PER_MINUTE: '1000000', RATE_LIMIT_AUTOMATION_PER_MINUTE: '1000000', REFRESH_CRON: '' };
  system = await startSystem({ bus: 'postgres', env });
  const staff = await clientOf('staff');
  const admin = await clientOf('admin');
  for (const id of ['demo-agent-1', 'demo-agent-2']) await admin.put(`/ops/agents/${id}`, { name: 'Demo Agent' });
  for (const [at, id] of customers.entries()) {
    const phone = `+447700900${100 + at}`;
    await staff.put(`/ops/customers/${id}`, { name: 'Demo Customer', phones: [phone] });
    await staff.post(`/ops/customers/${id}/renewals`, { service_type: 'WORK_PERMIT', due_date: '2030-01-31' });
    const later = { type: 'SMS', direction: 'OUTBOUND', body: 'text', send_after: inDays(20) };
    await staff.post(`/ops/customers/${id}/communications`, later);
    await somebodyWrites(phone);
    await somebodyWrites(`+447700901${100 + at}`);
  }
});
afterAll(() => system?.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

/** Somebody unknown as well, who waits to be linked; with a mail that has HTML to show. */
async function somebodyWrites(phone: string): Promise<void> {
  await system.simulator.person({ phone, email: `${phone.slice(1)}@example.com` });
  await system.simulator.write(phone, { channel: 'SMS', text: 'text' });
  await system.simulator.write(phone, { channel: 'EMAIL', subject: 'text', text: 'text' });
}

test(
  `${requests} requests drawn from the document, over every route and role: no 5xx, no answer outside the document, at least half done`,
  async () => {
    const seen = createSeen(customers);
    const outcomes = new Map<string, number>();
    const before = await memory();
    const grown: number[] = [];
    const ask = async (round: DrawnRequest[]) => {
      for (const [request, answer] of await Promise.all(round.map(asked))) {
        seen.learn(request, answer.status < 300 ? answer.body : undefined);
        count(outcomes, request, answer.status);
      }
    };
    for (let done = atOnce; done <= requests; done += atOnce) {
      await ask(fc.sample(drawnRequest(seen), { numRuns: atOnce, seed: seed + done }));
      if (done % (requests / 5) < atOnce) grown.push(Math.round(((await memory()) - before) / mib));
    }
    for (const one of ofEveryRouteAndRole(seen)) await ask(fc.sample(one, { numRuns: 1, seed }));
    const operations = new Set([...outcomes.keys()].map(operationOf));
    const done = new Set([...outcomes.keys()].filter((kind) => kind.endsWith(' 2xx')).map(operationOf));
    const never = [...operations].filter((operation) => !done.has(operation));
    const grew = `memory of the five processes grew by ${grown.join(', ')} MiB`;
    tell(outcomes, `${grew}\nnever done: ${never.join(', ')}`);
    const sum = (status: string) =>
      [...outcomes].reduce((all, [kind, times]) => all + (kind.endsWith(` ${status}`) ? times : 0), 0);
    expect(sum('2xx')).toBeGreaterThan(requests / 2);
    // What only something rare has, such as a message of which nobody knows whether it left.
    expect(never.length).toBeLessThan(operations.size / 10);
    expect((grown.at(-1) ?? Number.NaN) - (grown[1] ?? Number.NaN)).toBeLessThan(400);
  },
  300_000 + requests * 100,
);

async function asked(request: DrawnRequest) {
  const { role, sub, method, path, body, headersOnly } = request;
  const client = await clientOf(role, sub);
  const told = `${role} ${method} ${path} ${JSON.stringify(body)}`;
  const answer = await client.request(method, path, { body, headersOnly }).catch((error: unknown) => {
    throw new Error(told, { cause: error });
  });
  if (answer.status >= 500) throw new Error(`${answer.status}: ${told}`);
  return [request, answer] as const;
}

/** By role, operation and outcome. */
function count(outcomes: Map<string, number>, { role, operation }: DrawnRequest, status: number): void {
  const kind = `${role} ${operation} ${status < 300 ? '2xx' : status}`;
  outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1);
}

const operationOf = (kind: string) => kind.split(' ').slice(1, 3).join(' ');

/** Straight to the terminal, as a figure to look at: by role, what came of reads and of changes. */
function tell(outcomes: Map<string, number>, rest: string): void {
  const table = new Map<string, Map<string, number>>();
  for (const [kind, times] of outcomes) {
    const [role, method, , status = ''] = kind.split(' ');
    const row = `${role} ${method === 'GET' ? 'reads' : 'changes'}`;
    const counts = table.get(row) ?? new Map<string, number>();
    table.set(row, counts.set(status, (counts.get(status) ?? 0) + times));
  }
  const shown = (counts: Map<string, number>) => [...counts].sort().map(([status, times]) => `${status} ${times}`);
  const lines = [...table].sort().map(([row, counts]) => `${row}: ${shown(counts).join(', ')}`);
  process.stdout.write(`\n${[...lines, rest].join('\n')}\n\n`);
}

async function memory(): Promise<number> {
  const all = await Promise.all(
    [...serviceNames, 'gateway' as const].map((name) => readMetrics(system.metricsUrl(name))),
  );
  return all.reduce((sum, metric) => sum + (metric('process_resident_memory_bytes') ?? Number.NaN), 0);
}
