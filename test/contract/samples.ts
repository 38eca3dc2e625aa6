import { type RouteName, type RouteSpec, routes, type ServiceName } from '@ops/contracts/routes';
import { uuidv7 } from '@ops/test-kit/builders';

/** One well-formed call of each route, so that the whole table can be driven. */
export interface Sample {
  name: RouteName;
  spec: RouteSpec;
  path: string;
  body?: unknown;
}

const ofCustomer = (id: string) => ({ id });
const unknownRecord = () => ({ id: uuidv7() });
const ofService = { name: 'comms-service' satisfies ServiceName };

export function samples(customerId: string): Sample[] {
  const call: Record<RouteName, { params?: Record<string, string>; query?: string; body?: unknown }> = {
    putCustomer: { params: ofCustomer(customerId), body: { name: 'Demo Customer' } },
    listCustomers: {},
    getCustomer: { params: ofCustomer(customerId) },
    createCommunication: {
      params: ofCustomer(customerId),
      body: { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'text' },
    },
    listCommunications: { params: ofCustomer(customerId) },
    createNote: { params: ofCustomer(customerId), body: { body: 'text' } },
    markCommunicationsRead: { params: ofCustomer(customerId) },
    moveCommunication: { params: unknownRecord(), body: { customer_id: customerId } },
    strikeCommunication: { params: unknownRecord() },
    retryCommunication: { params: unknownRecord() },
    resolveCommunication: { params: unknownRecord(), body: { outcome: 'sent' } },
    listFailedCommunications: {},
    listCommunicationHistory: { params: unknownRecord() },
    showCommunication: { params: unknownRecord() },
    uploadAttachment: { params: ofCustomer(customerId), query: '?name=file.txt', body: 'text' },
    getAttachment: { params: unknownRecord() },
    retryAttachment: { params: unknownRecord() },
    listUnmatched: {},
    linkUnmatched: { params: unknownRecord(), body: { customer_id: customerId } },
    unlinkUnmatched: { params: unknownRecord() },
    getRetention: {},
    putRetention: { body: { keep_days: { EMAIL: 2_557 } } },
    runRetention: { query: '?dry_run=true' },
    listRetentionRuns: {},
    listWebhookDeliveries: {},
    getWebhookDelivery: { params: unknownRecord() },
    reprocessWebhookDelivery: { params: unknownRecord() },
    listTimeline: { params: ofCustomer(customerId) },
    listDeadLetters: { params: ofService },
    replayDeadLetter: { params: { ...ofService, ...unknownRecord() } },
    getMe: {},
    stream: {},
  };
  return (Object.keys(call) as RouteName[]).map((name) => {
    const spec: RouteSpec = routes[name];
    return {
      name,
      spec,
      path: filled(spec.path, call[name].params ?? {}) + (call[name].query ?? ''),
      body: call[name].body,
    };
  });
}

const filled = (path: string, params: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
