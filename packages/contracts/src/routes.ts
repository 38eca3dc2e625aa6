import type { RouteSpec } from './route-spec.ts';
import { commsRoutes } from './routes/comms.ts';
import { everyServiceRoutes } from './routes/every-service.ts';
import { gatewayRoutes } from './routes/gateway.ts';
import { ingestRoutes } from './routes/ingest.ts';
import { notifierRoutes } from './routes/notifier.ts';
import { renewalsRoutes } from './routes/renewals.ts';

export { type ProcessName, type RouteSpec, type ServiceName, serviceNames } from './route-spec.ts';

/**
 * The table of every route under /ops. The gateway authorises and routes by it, services validate by it, the OpenAPI
 * document is generated from it.
 */
export const routes = {
  ...commsRoutes,
  ...renewalsRoutes,
  ...ingestRoutes,
  ...notifierRoutes,
  ...everyServiceRoutes,
  ...gatewayRoutes,
} satisfies Record<string, RouteSpec>;

export type RouteName = keyof typeof routes;

const names = new Map(Object.entries(routes).map(([name, spec]): [RouteSpec, string] => [spec, name]));

/** As the OpenAPI document calls the operation. */
export const nameOf = (spec: RouteSpec): string => names.get(spec) ?? `${spec.method} ${spec.path}`;
