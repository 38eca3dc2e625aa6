import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { instantOf } from '../parts/dates.tsx';
import { tell, tellProblem } from '../parts/told.tsx';

interface Person {
  id: string;
  name: string;
}

/** Nothing is left to answer up to the record that somebody saw last; false when it could not be said. */
export const beDone = ({ id, name }: Person, upTo: string): Promise<boolean> =>
  attempt(id, async () => {
    const body = { state: 'done' as const, up_to: upTo };
    const { state } = await dataOf(api.PATCH('/ops/customers/{id}/attention', { params: { path: { id } }, body }));
    tell(state === 'done' ? `Done with ${name}.` : `Done with what you saw; ${name} has written since.`);
  });

/** What came after the record that somebody saw last is put off by nobody. */
export const snooze = ({ id, name }: Person, until: Date, upTo: string): Promise<boolean> =>
  attempt(id, async () => {
    const body = { state: 'snoozed' as const, until: until.toISOString(), up_to: upTo };
    const { state } = await dataOf(api.PATCH('/ops/customers/{id}/attention', { params: { path: { id } }, body }));
    tell(
      state === 'snoozed'
        ? `${name} is put off until ${instantOf(body.until)}, or until they write again.`
        : `Not put off: ${name} has written since.`,
    );
  });

/** From this record on. */
export const markUnread = (id: string, from: string): Promise<boolean> =>
  attempt(id, async () => {
    const params = { path: { id } };
    await dataOf(api.PATCH('/ops/customers/{id}/communications/unread', { params, body: { from } }));
    tell('Marked unread.');
  });

/** Offers the way back. */
export const giveCustomer = (id: string, agent: string | null, words: string): Promise<boolean> =>
  attempt(id, async () => {
    const before = await setAgent(id, agent);
    tell(words, () => attempt(id, () => setAgent(id, before)));
  });

/** Whose the customer was before. */
async function setAgent(id: string, agent: string | null): Promise<string | null> {
  const params = { path: { id } };
  const before = await dataOf(api.GET('/ops/customers/{id}', { params }));
  await dataOf(api.PATCH('/ops/customers/{id}', { params, body: { assigned_agent: agent } }));
  return before.assigned_agent;
}

async function attempt(id: string, does: () => Promise<unknown>): Promise<boolean> {
  try {
    await does();
    return true;
  } catch (error) {
    tellProblem(error);
    return false;
  } finally {
    for (const queryKey of [['attention'], ['customer', id], ['communications', id]])
      void queries.invalidateQueries({ queryKey });
  }
}
