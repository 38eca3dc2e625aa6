import { api, dataOf } from '../api/client.ts';
import { asProblem, ProblemError } from '../api/problem.ts';
import { queries } from '../api/queries.ts';
import type { LinkResult } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { messagesInWords } from './unmatched.ts';

interface Person {
  id: string;
  name: string;
}

/** Says whose message it is, how many went along, and offers the way back. */
export const link = (message: string, customer: Person): Promise<void> =>
  act(async () => {
    const { moved } = await postLink(message, customer.id);
    tell(`${messagesInWords(moved.length)} moved to ${customer.name}.`, () => act(() => postUnlink(message)));
  });

/** Takes a link back; the way back is to make it again. */
export const unlink = (message: string, customer: Person): Promise<void> =>
  act(async () => {
    const { moved } = await postUnlink(message);
    const words = moved.length === 1 ? '1 message waits again.' : `${moved.length} messages wait again.`;
    tell(words, () => act(() => postLink(message, customer.id)));
  });

const postLink = (id: string, customer_id: string): Promise<LinkResult> =>
  dataOf(api.POST('/ops/unmatched/{id}/link', { params: { path: { id }, ...oneIntent() }, body: { customer_id } }));

const postUnlink = (id: string): Promise<LinkResult> =>
  dataOf(api.POST('/ops/unmatched/{id}/unlink', { params: { path: { id }, ...oneIntent() } }));

const oneIntent = () => ({ header: { 'Idempotency-Key': crypto.randomUUID() } });

async function act(does: () => Promise<unknown>): Promise<void> {
  try {
    await does();
  } catch (error) {
    tellProblem(error);
  } finally {
    void queries.invalidateQueries({ queryKey: ['unmatched'] });
  }
}

export interface NewCustomer extends Person {
  phones: string[];
  emails: string[];
}

/** Refused when somebody has that id: their details would be written over. */
export async function createCustomer({ id, ...details }: NewCustomer): Promise<void> {
  const holder = await nameOf(id);
  if (holder !== null) throw taken(id, holder);
  await api.PUT('/ops/customers/{id}', { params: { path: { id } }, body: { ...details, do_not_contact: false } });
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
