import type { paths } from '../api/schema.gen.ts';

export type ServiceName = paths['/ops/services/{name}/dead-letters']['get']['parameters']['path']['name'];

/** What each service is there for. */
export const serviceLabels: Record<ServiceName, string> = {
  'comms-service': 'Communications',
  'renewals-service': 'Renewals',
  'webhook-ingest': 'Incoming webhooks',
  notifier: 'Sending and tasks',
};

export type ProcessName = paths['/ops/services/{name}/audit']['get']['parameters']['path']['name'];

/** Whoever writes down who did what. */
export const processLabels: Record<ProcessName, string> = { ...serviceLabels, gateway: 'Sign-ins and refusals' };

export const serviceNames = Object.keys(serviceLabels) as ServiceName[];
