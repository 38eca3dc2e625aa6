import type { z } from 'zod';
import * as audit from '../resources/audit.ts';
import type { ProgramPart } from '../roles.ts';
import { daily, type RouteSpec, route, type ServiceName } from '../route-spec.ts';

interface Remembered<Params extends z.ZodType> {
  owner: ServiceName;
  /** Of the thing itself. */
  path: RouteSpec['path'];
  params: Params;
  what: string;
  roles?: RouteSpec['roles'];
  part?: ProgramPart;
}

/** What people change has this route, whatever it is. */
export const historyRoute = <P extends z.ZodType>({ what, path, roles = daily, ...rest }: Remembered<P>) =>
  route({
    method: 'GET',
    ...rest,
    path: `${path}/history`,
    roles,
    summary: `Who changed what of ${what}, newest first`,
    query: audit.auditQuery,
    success: { 200: audit.auditPage },
  });
