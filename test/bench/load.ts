import { canary } from '@ops/test-kit/logs';
import type { System } from '@ops/test-system/system';
import { type Answer, appPayload, appText, asProvider, post, type Webhook } from '../webhooks/as-provider.ts';

/** How much is posted: as many as come through in one go, then so many a second for some seconds. */
export interface Plan {
  messages: number;
  connections: number;
  rate: number;
  seconds: number;
}

/** So many that at the steady rate everybody writes once: whose message a screen tells of says which it is. */
export const customersOf = ({ rate, seconds }: Plan): number => Math.max(500, rate * seconds);

export const customerId = (n: number) => `C-bench-${n}`;
const phoneOf = (n: number) => `+44770${String(n).padStart(7, '0')}`;

export async function introduce(system: System, customers: number): Promise<void> {
  const staff = await system.client('staff');
  await inParallel(8, customers, (n) =>
    staff.put(`/ops/customers/${customerId(n)}`, { name: `Customer ${n}`, phones: [phoneOf(n)] }),
  );
}

/** One message each, signed as the provider signs, the customers in turn. */
export function webhooksOf(gatewayUrl: string, name: string, count: number, customers: number): Webhook[] {
  const provider = asProvider(gatewayUrl);
  return Array.from({ length: count }, (_, n) => {
    const text = `Hello, my order has not come yet. Could you look where it is, please? ${canary()}`;
    const message = appText(`wamid.bench.${name}.${n}`, phoneOf(n % customers).slice(1), text);
    return provider.app(appPayload([message]));
  });
}

export async function postTaken(gatewayUrl: string, webhook: Webhook): Promise<void> {
  const { status, text }: Answer = await post(gatewayUrl, webhook);
  if (status !== 200) throw new Error(`a webhook was answered ${status}: ${text}`);
}

/** Each worker has one request under way, so there are as many connections as workers. */
export async function inParallel(workers: number, count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: workers }, one));
}
