import { isDeepStrictEqual } from 'node:util';
import type { PutServiceType, ServiceType } from '@ops/contracts/resources/service-type';
import { audit } from '@ops/service-kit/auditing';
import type { Db, Trx } from '@ops/service-kit/database';
import { type HistoryQuery, historyOf } from '@ops/service-kit/history';
import { requireMatch } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as store from './service-type-store.ts';

export { listServiceTypes } from './service-type-store.ts';

export async function putServiceType(
  deps: Deps,
  trx: Trx,
  code: string,
  input: PutServiceType,
  ifMatch: string | undefined,
): Promise<{ serviceType: ServiceType; created: boolean }> {
  const stored = await store.lockServiceType(trx, code);
  requireMatch(ifMatch, stored?.version);
  const wanted = { ...input, labels: input.labels ?? stored?.labels ?? {} };
  if (stored && isSame(stored, wanted)) return { serviceType: stored, created: false };
  const created = !stored && (await store.insertServiceType(trx, code, wanted, deps.now()));
  // A twin described it while this one looked: now there is a row to lock.
  if (!stored && !created) return putServiceType(deps, trx, code, input, ifMatch);
  if (stored) await store.updateServiceType(trx, code, wanted, deps.now());
  const { label, labels, renewal_months } = stored ?? {};
  const before = stored && { label, labels, renewal_months };
  await audit(trx, { subject: subjectOf(code), before, after: wanted });
  return { serviceType: (await store.findServiceType(trx, code)) as ServiceType, created };
}

export const historyOfServiceType = (db: Db, code: string, query: HistoryQuery) =>
  historyOf(db, subjectOf(code), query);

const subjectOf = (code: string) => ({ kind: 'service_type', id: code }) as const;

const isSame = (one: store.Described, other: store.Described): boolean =>
  one.label === other.label &&
  one.renewal_months === other.renewal_months &&
  isDeepStrictEqual(one.labels, other.labels);
