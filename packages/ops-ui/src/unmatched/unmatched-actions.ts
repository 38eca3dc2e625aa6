import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { DismissResult, LinkResult } from '../api/types.ts';
import { tell, tellProblem } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
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
    tell(`${counted(moved.length, 'message waits', 'messages wait')} again.`, () =>
      act(() => postLink(message, customer.id)),
    );
  });

/** The sender means nobody here; what they write later disturbs nobody. */
export const dismiss = (message: string): Promise<void> =>
  act(async () => {
    const { together, unmatched } = await postDismiss(message);
    const why = unmatched.reason === 'unknown' ? ' as not for us' : '';
    tell(`${messagesInWords(together.length)} put away${why}.`, () => act(() => postRestore(message)));
  });

export const restore = (message: string): Promise<void> =>
  act(async () => {
    const { together } = await postRestore(message);
    tell(`${counted(together.length, 'message waits', 'messages wait')} again.`, () => act(() => postDismiss(message)));
  });

const postDismiss = (id: string): Promise<DismissResult> =>
  dataOf(api.POST('/ops/unmatched/{id}/dismiss', { params: { path: { id }, ...oneIntent() } }));

const postRestore = (id: string): Promise<DismissResult> =>
  dataOf(api.POST('/ops/unmatched/{id}/restore', { params: { path: { id }, ...oneIntent() } }));

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
