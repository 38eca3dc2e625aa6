import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { CustomerDetail } from '../api/types.ts';
import { customerQuery } from '../customers/customer-queries.ts';
import { tell, tellProblem } from '../parts/told.tsx';

/** All of one goes to the other, who is given back; said, and taken back by Undo. */
export async function mergeInto(id: string, into: string): Promise<CustomerDetail> {
  const survivor = await dataOf(api.POST('/ops/customers/{id}/merge', { params: { path: { id } }, body: { into } }));
  lookAgain(survivor);
  tell(`${id} was merged into ${survivor.name}.`, () => takeApart(id, survivor.id).catch(tellProblem));
  return survivor;
}

/** It was somebody else after all. */
export async function takeApart(id: string, from: string): Promise<CustomerDetail> {
  const freed = await dataOf(api.POST('/ops/customers/{id}/unmerge', { params: { path: { id } } }));
  lookAgain(freed);
  tell(`${freed.name}, ${id}, is a customer of their own again.`, () => mergeInto(id, from).catch(tellProblem));
  return freed;
}

/** It is seldom done, and whatever names a customer may be about them. */
function lookAgain(customer: CustomerDetail): void {
  queries.setQueryData(customerQuery(customer.id).queryKey, customer);
  void queries.invalidateQueries();
}
