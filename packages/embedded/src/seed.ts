import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { demoCustomers } from './demo-data.ts';

/**
 * Puts the demo customers into an empty database, as any caller would: through the gateway. A start that was killed
 * halfway is told by the mark it left; every request can be repeated, so the next one completes it.
 */
export async function seedDemo(gatewayUrl: string, dataDir: string, getToken: () => Promise<string>): Promise<void> {
  const call = caller(gatewayUrl, await getToken());
  const mark = join(dataDir, 'seeding');
  const { data } = (await call('GET', '/ops/customers?limit=1')) as { data: unknown[] };
  if (data.length > 0 && !existsSync(mark)) return;
  console.log('- filling the empty database with demo customers');
  await writeFile(mark, '');
  for (const { id, customer, communications } of demoCustomers) {
    await call('PUT', `/ops/customers/${id}`, customer);
    for (const [index, communication] of communications.entries())
      await call('POST', `/ops/customers/${id}/communications`, communication, `demo-${id}-${index}`);
  }
  await rm(mark, { force: true });
}

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
