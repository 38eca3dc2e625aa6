import type { RequestListener } from 'node:http';
import type { ServiceName } from '@ops/contracts/routes';
import { listen } from '@ops/service-kit/http-server';

const addresses = {
  'renewals-service': 'RENEWALS_SERVICE_URL',
  'webhook-ingest': 'WEBHOOK_INGEST_URL',
  notifier: 'NOTIFIER_URL',
} as const satisfies Partial<Record<ServiceName, string>>;
export type Other = keyof typeof addresses;

export const otherNames = Object.keys(addresses) as Other[];

export interface StandIns {
  /** Where this service finds them. */
  settings: Record<string, string>;
  close(): Promise<void>;
}

/** In the place of every other service, each as this listens. */
export async function startStandIns(listenerOf: (name: Other) => RequestListener): Promise<StandIns> {
  const servers = await Promise.all(otherNames.map((name) => listen(listenerOf(name), { host: '127.0.0.1', port: 0 })));
  return {
    settings: Object.fromEntries(
      otherNames.map((name, n) => [addresses[name], `http://127.0.0.1:${servers[n]?.port}`]),
    ),
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}
