import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays } from '@ops/contracts/dates';
import type { Role } from '@ops/contracts/roles';
import { type DemoRenewal, demoAgents, demoCalendar, demoCustomers } from './demo-data.ts';

/**
 * Puts the demo customers and their renewals into an empty database, as any caller would: through the gateway; the refresh
 * at the end alerts of what is due already. A start that was killed halfway is told by the mark it left; every request can
 * be repeated, so the next one completes it.
 */
export async function seedDemo(
  gatewayUrl: string,
  dataDir: string,
  getToken: (role: Role) => Promise<string>,
): Promise<void> {
  const call = caller(gatewayUrl, await getToken('staff'));
  const mark = join(dataDir, 'seeding');
  const { data } = (await call('GET', '/ops/customers?limit=1')) as { data: unknown[] };
  if (data.length > 0 && !existsSync(mark)) return;
  console.log('- filling the empty database with demo customers and renewals');
  await writeFile(mark, '');
  await caller(gatewayUrl, await getToken('admin'))('PUT', '/ops/calendar', demoCalendar);
  for (const { id, ...agent } of demoAgents) await call('PUT', `/ops/agents/${id}`, agent);
  for (const { id, customer, communications, renewals } of demoCustomers) {
    await call('PUT', `/ops/customers/${id}`, customer);
    for (const [index, communication] of communications.entries())
      await call('POST', `/ops/customers/${id}/communications`, communication, `demo-${id}-${index}`);
    await seedRenewals(call, id, renewals);
  }
  await call('POST', '/ops/renewals/refresh');
  await rm(mark, { force: true });
}

/** Not told apart by a key: the day they are counted from may be another one by now. */
async function seedRenewals(call: Call, customerId: string, renewals: readonly DemoRenewal[]): Promise<void> {
  const path = `/ops/customers/${customerId}/renewals`;
  const { data } = (await call('GET', path)) as { data: { service_type: string }[] };
  const there = new Set(data.map(({ service_type }) => service_type));
  const today = new Date().toISOString().slice(0, 10);
  for (const { in_days, ...renewal } of renewals)
    if (!there.has(renewal.service_type)) await call('POST', path, { ...renewal, due_date: addDays(today, in_days) });
}

type Call = ReturnType<typeof caller>;

const caller =
  (gatewayUrl: string, token: string) => async (method: string, path: string, body?: object, key?: string) => {
    const response = await fetch(gatewayUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the demo data were refused: ${method} ${path} answered ${response.status} ${text}`);
    return JSON.parse(text);
  };
