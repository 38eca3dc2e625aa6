import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addDays } from '@ops/contracts/dates';
import type { Role } from '@ops/contracts/roles';
import { type Call, caller } from './caller.ts';
import { demoAgents, demoCalendar, demoCustomers } from './demo-data.ts';
import type { DemoRenewal } from './demo-firm.ts';

export interface Seeding {
  gatewayUrl: string;
  /** Keeps the mark of a seeding that was interrupted: how many steps of the firm it had taken, or that it had not begun with them. */
  dataDir: string;
  getToken: (role: Role) => Promise<string>;
  stopping?: AbortSignal;
}

const notBegun = 'not begun';
const markIn = ({ dataDir }: Seeding): string => join(dataDir, 'seeding');
const readMark = (seeding: Seeding): Promise<string | undefined> =>
  readFile(markIn(seeding), 'utf8').catch(() => undefined);

export const callAs = async ({ gatewayUrl, getToken, stopping }: Seeding, role: Role): Promise<Call> =>
  caller(gatewayUrl, { authorization: `Bearer ${await getToken(role)}` }, stopping);

/**
 * Puts a few demo customers and their renewals into an empty database, as any caller would: through the gateway; the refresh
 * at the end alerts of what is due already. A start that was killed halfway is told by the mark it left; every request can
 * be repeated, so the next one completes it. Answers how many steps of the firm were taken; undefined when nothing is to be put in.
 */
export async function seedDemo(seeding: Seeding): Promise<number | undefined> {
  const call = await callAs(seeding, 'staff');
  const mark = await readMark(seeding);
  const { data } = (await call('GET', '/ops/customers?limit=1')) as { data: unknown[] };
  if (data.length > 0 && mark === undefined) return undefined;
  if (mark !== undefined && mark !== notBegun) return Number(mark);
  console.log('- filling the empty database with demo customers and renewals');
  await writeFile(markIn(seeding), notBegun);
  await (await callAs(seeding, 'admin'))('PUT', '/ops/calendar', demoCalendar);
  for (const { id, ...agent } of demoAgents) await call('PUT', `/ops/agents/${id}`, agent);
  for (const { id, customer, communications, renewals } of demoCustomers) {
    await call('PUT', `/ops/customers/${id}`, customer);
    for (const [index, communication] of communications.entries())
      await call('POST', `/ops/customers/${id}/communications`, communication, {
        'idempotency-key': `demo-${id}-${index}`,
      });
    await seedRenewals(call, id, renewals);
  }
  await call('POST', '/ops/renewals/refresh');
  await markSeeded(seeding, 0);
  return 0;
}

export const markSeeded = (seeding: Seeding, ofFirm: number): Promise<void> =>
  writeFile(markIn(seeding), String(ofFirm));

/** Nothing is left to be put in by a next start. */
export const allSeeded = (seeding: Seeding): Promise<void> => rm(markIn(seeding), { force: true });

/** Not told apart by a key: the day they are counted from may be another one by now. */
export async function seedRenewals(call: Call, customerId: string, renewals: readonly DemoRenewal[]): Promise<void> {
  const path = `/ops/customers/${customerId}/renewals`;
  const { data } = (await call('GET', path)) as { data: { service_type: string }[] };
  const there = new Set(data.map(({ service_type }) => service_type));
  const today = new Date().toISOString().slice(0, 10);
  for (const { in_days, ends, ...renewal } of renewals) {
    if (there.has(renewal.service_type)) continue;
    const { id } = await call('POST', path, { ...renewal, due_date: addDays(today, in_days) });
    if (ends) await end(call, id, ends);
  }
}

async function end(call: Call, id: string, how: NonNullable<DemoRenewal['ends']>): Promise<void> {
  if (how === 'completed') await call('PATCH', `/ops/renewals/${id}/complete`);
  else if (how === 'started') await call('PATCH', `/ops/renewals/${id}/start`);
  else await call('PATCH', `/ops/renewals/${id}/cancel`, { reason: how });
}
