import type { Page } from '@ops/contracts/pagination';
import type { ComplianceFlag, ComplianceFlagQuery } from '@ops/contracts/resources/renewal';
import type { Db } from '@ops/service-kit/database';
import { decodeCursor, toPage } from '@ops/service-kit/pagination';
import { listOf } from '../customers/customer-service.ts';
import type { Deps } from '../deps.ts';
import * as store from './flag-store.ts';

export { clearFlag, moveFlags, redateFlag, restoreFlag } from './flag-store.ts';

export async function listFlags(
  deps: Deps,
  db: Db,
  customerId: string,
  query: ComplianceFlagQuery,
): Promise<Page<ComplianceFlag>> {
  const position = decodeCursor(query.cursor, ['instant', 'uuid']);
  const after = position && { raisedAt: position[0], id: position[1] };
  const rows = await listOf(deps, db, customerId, (id) =>
    store.listFlags(db, { customerId: id, state: query.state, after, limit: query.limit + 1 }),
  );
  return toPage(rows, query.limit, (flag) => [flag.raised_at, flag.id]);
}
