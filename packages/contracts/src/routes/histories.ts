import type { z } from 'zod';
import * as audit from '../resources/audit.ts';
import { daily, type RouteSpec, route, type ServiceName } from '../route-spec.ts';

interface Remembered<Params extends z.ZodType> {
  owner: ServiceName;
  /** Of the thing itself. */
  path: RouteSpec['path'];
  params: Params;
  what: string;
  roles?: RouteSpec['roles'];
}

/** What people change has this route, whatever it is. */
export const historyRoute = <P extends z.ZodType>({ owner, path, params, what, roles = daily }: Remembered<P>) =>
  route({
    method: 'GET',
    path: `${path}/history`,
    owner,
    roles,
    summary: `Who changed what of ${what}, newest first`,
    params,
    query: audit.auditQuery,
    success: { 200: audit.auditPage },
  });
