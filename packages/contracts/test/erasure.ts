import type { ErasureOrder } from '../src/internal-routes.ts';

/** Of a customer nobody else knows anything of, and who said nothing, unless said. */
export const erasureOrder = (more: Partial<ErasureOrder> = {}): ErasureOrder => ({
  erasure_id: '0190a000-0000-7000-8000-000000000000',
  erased_at: new Date().toISOString(),
  customer_ids: ['C-1'],
  addresses: [],
  records: [],
  externals: [],
  events: [],
  from: null,
  ...more,
});
