import type { Envelope } from '@ops/contracts/envelope';
import type { Renewal } from '@ops/contracts/resources/renewal';
import { uuidv7 } from '@ops/test-kit/builders';
import { staff, type TestService } from './service.ts';

type Rest = Partial<Pick<Envelope, 'id' | 'source' | 'time'>>;

const event = (type: string, data: { customer_id?: string }, rest: Rest): Envelope => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'urn:upstream',
  subject: data.customer_id ?? 'C-1',
  time: '2026-03-02T11:00:00Z',
  type,
  data: { customer_id: 'C-1', ...data },
  ...rest,
});

export const policyIssued = (policy_id: string, end_date: string, data: object = {}, rest: Rest = {}) =>
  event('policy.issued', { policy_id, end_date, ...data } as object, rest);

export const permitApproved = (permit_id: string, expiry_date: string, data: object = {}, rest: Rest = {}) =>
  event('residence_permit.approved', { permit_id, expiry_date, ...data } as object, rest);

export const workPermitIssued = (permit_id: string, expiry_date: string, data: object = {}, rest: Rest = {}) =>
  event('work_permit.issued', { permit_id, expiry_date, ...data } as object, rest);

export const policyCancelled = (policy_id: string, rest: Rest = {}) =>
  event('policy.cancelled', { policy_id } as object, rest);

export const permitWithdrawn = (permit_id: string, rest: Rest = {}) =>
  event('residence_permit.withdrawn', { permit_id } as object, rest);

/** The customer's renewals as staff see them, the earliest due first. */
export const renewalsOf = async (service: TestService, customer = 'C-1'): Promise<Renewal[]> =>
  (await service.get<{ data: Renewal[] }>(staff, `/ops/customers/${customer}/renewals`)).body.data;
