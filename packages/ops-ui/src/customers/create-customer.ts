import { api, dataOf } from '../api/client.ts';
import type { CreateCustomer, CustomerDetail } from '../api/types.ts';

/** Once for each key, and refused when somebody has that id: nobody is written over. */
export const createCustomer = (key: string, body: CreateCustomer): Promise<CustomerDetail> =>
  dataOf(api.POST('/ops/customers', { params: { header: { 'Idempotency-Key': key } }, body }));
