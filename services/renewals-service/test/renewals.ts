import { addDays, daysBetween } from '@ops/contracts/dates';
import type { CompletedRenewal, CreateRenewal, Renewal, RenewalStatus, Rung } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import { nextAlertOn } from '../src/renewals/rungs.rules.ts';
import { staff, type TestService } from './service.ts';

export type Move = 'start' | 'complete' | 'cancel' | 'reopen' | 'release';

type Body<M> = M extends 'complete' ? CompletedRenewal : Renewal;

/** What staff do to renewals. */
export const at = (service: TestService) => ({
  async create(given: Partial<CreateRenewal> = {}, customer = 'C-1'): Promise<Renewal> {
    const body = { service_type: 'RESIDENCE_PERMIT', due_date: inDays(service, 200), ...given };
    const made = await service.post<Renewal>(staff, `/ops/customers/${customer}/renewals`, body);
    if (made.status !== 201) throw new Error(`creating answered ${made.status}`);
    return made.body;
  },
  move: <M extends Move>(id: string, move: M, body?: object, headers?: Record<string, string>) =>
    service.patch<Body<M>>(staff, `/ops/renewals/${id}/${move}`, body, headers),
  change: <T = Renewal>(id: string, body: object, headers?: Record<string, string>) =>
    service.patch<T>(staff, `/ops/renewals/${id}`, body, headers),
  /** As the table has it. */
  row: async (id: string) => service.db('renewals_seen').where({ id }).first(),
  ledger: async (id: string): Promise<{ due_date: string; rung: Rung; state: string }[]> =>
    service.db('alerts').where({ renewal_id: id }).orderBy(['due_date', 'rung']).select('due_date', 'rung', 'state'),
});

export const inDays = (service: TestService, days: number): string => addDays(service.deps.today(), days);

/** As a refresh leaves it: these rungs fired, and overdue, with its flag, when the last of them says so. */
export async function alerted(service: TestService, renewal: Renewal, rungs: readonly Rung[]): Promise<void> {
  const { id: renewal_id, due_date, customer_id } = renewal;
  const [now, isOverdue] = [service.clock.now(), rungs.includes('OVERDUE')];
  const days_until_due = daysBetween(service.deps.today(), due_date);
  const row = { renewal_id, due_date, state: 'FIRED', days_until_due, run_id: uuidv7(), decided_at: now };
  await service.db('alerts').insert(rungs.map((rung) => ({ ...row, rung })));
  const overdue = { status: 'OVERDUE' satisfies RenewalStatus, version: service.db.raw('version + 1') };
  await service
    .db('renewals')
    .where({ id: renewal_id })
    .update({ next_alert_on: nextAlertOn(due_date, rungs), ...(isOverdue ? overdue : {}) });
  if (!isOverdue) return;
  await service.db('compliance_flags').insert({ id: uuidv7(), customer_id, renewal_id, due_date, raised_at: now });
}
