import { api, dataOf } from '../api/client.ts';
import { asProblem, ProblemError } from '../api/problem.ts';
import type { CustomerDetail, PutCustomer } from '../api/types.ts';

/** Refused when somebody has that id: their details would be written over. */
export async function createCustomer(id: string, details: PutCustomer): Promise<CustomerDetail> {
  const holder = await nameOf(id);
  if (holder !== null) throw taken(id, holder);
  return await dataOf(api.PUT('/ops/customers/{id}', { params: { path: { id } }, body: details }));
}

async function nameOf(id: string): Promise<string | null> {
  try {
    return (await dataOf(api.GET('/ops/customers/{id}', { params: { path: { id } } }))).name;
  } catch (error) {
    if (asProblem(error).status === 404) return null;
    throw error;
  }
}

const taken = (id: string, name: string): ProblemError =>
  new ProblemError(409, {
    title: 'There is such a customer',
    detail: `${id} is ${name} already.`,
    errors: [{ path: 'id', message: `${id} is ${name} already. Look for them instead, or give another id.` }],
  });
