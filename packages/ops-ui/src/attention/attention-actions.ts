import { api, dataOf } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import type { AttentionChange, PatchAttention } from '../api/types.ts';
import { instantOf } from '../parts/dates.tsx';
import { tell, tellProblem } from '../parts/told.tsx';

interface Person {
  id: string;
  name: string;
}

/** Nothing is left to answer up to the record that somebody saw last; false when it could not be said. Offers the way back. */
export const beDone = (person: Person, upTo: string): Promise<boolean> =>
  attempt(person.id, async () => {
    const { state, change_id } = await patch(person, { state: 'done', up_to: upTo });
    tellWithUndo(
      state === 'done' ? `Done with ${person.name}.` : `Done with what you saw; ${person.name} has written since.`,
      person,
      change_id,
    );
  });

/** What came after the record that somebody saw last is put off by nobody. Offers the way back. */
export const snooze = (person: Person, until: Date, upTo: string): Promise<boolean> =>
  attempt(person.id, async () => {
    const at = until.toISOString();
    const { state, change_id } = await patch(person, { state: 'snoozed', until: at, up_to: upTo });
    if (state !== 'snoozed') return tell(`Not put off: ${person.name} has written since.`);
    tellWithUndo(`${person.name} is put off until ${instantOf(at)}, or until they write again.`, person, change_id);
  });

/** Put off no more. Offers the way back. */
export const wake = (person: Person): Promise<boolean> =>
  attempt(person.id, async () => {
    const { change_id } = await patch(person, { state: 'waiting' });
    tellWithUndo(`${person.name} waits again.`, person, change_id);
  });

/** Says where it led: they may have been answered, or have written, since. */
const takeBack = (person: Person, change: string): Promise<boolean> =>
  attempt(person.id, async () => {
    const { state, snoozed_until } = await patch(person, { state: 'waiting', change_id: change });
    if (snoozed_until) return tell(`Taken back: ${person.name} is put off until ${instantOf(snoozed_until)}.`);
    tell(
      state === 'waiting'
        ? `Taken back: ${person.name} waits for an answer.`
        : `Taken back, but ${person.name} waits for nothing: they have their answer.`,
    );
  });

/** `change`: null when nothing was changed. */
const tellWithUndo = (words: string, person: Person, change: string | null): void =>
  tell(words, change === null ? undefined : () => takeBack(person, change));

const patch = ({ id }: Person, body: PatchAttention): Promise<AttentionChange> =>
  dataOf(api.PATCH('/ops/customers/{id}/attention', { params: { path: { id } }, body }));

/** From this record on. */
export const markUnread = (id: string, from: string): Promise<boolean> =>
  attempt(id, async () => {
    const params = { path: { id } };
    await dataOf(api.PATCH('/ops/customers/{id}/communications/unread', { params, body: { from } }));
    tell('Marked unread.');
  });

/** Offers the way back. `nameOf`: how agents are called. */
export const giveCustomer = (
  { id, name }: Person,
  agent: string | null,
  nameOf: (agent: string) => string,
): Promise<boolean> =>
  attempt(id, async () => {
    const before = await setAgent(id, agent);
    const words = agent === null ? `${name} is nobody’s now` : `${name} given to ${nameOf(agent)}`;
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
