import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type AgentPresence, type Owners, ownersFor, responsibleOn } from './responsible.ts';

const today = '2026-03-01';
const agent = (id: string, absent_until: string | null = null, deputy: string | null = null): AgentPresence => ({
  id,
  absent_until,
  deputy,
});

test.each([
  ['nobody’s', null, [], null],
  ['an agent’s who is there', 'ada', [agent('ada')], 'ada'],
  ['an agent’s whom nobody knows', 'ghost', [agent('ada')], null],
  ['back since today', 'ada', [agent('ada', '2026-02-28', 'bob'), agent('bob')], 'ada'],
  ['away until today', 'ada', [agent('ada', today, 'bob'), agent('bob')], 'bob'],
  ['away, without a deputy', 'ada', [agent('ada', today)], null],
  ['away, with a deputy nobody knows', 'ada', [agent('ada', today, 'ghost')], null],
  [
    'both away: one step, not two',
    'ada',
    [agent('ada', today, 'bob'), agent('bob', today, 'cleo'), agent('cleo')],
    null,
  ],
  ['each the deputy of the other', 'ada', [agent('ada', today, 'bob'), agent('bob', null, 'ada')], 'bob'],
])('who deals with what is %s', (_, owner, agents, expected) => {
  expect(responsibleOn(agents, today).open(owner)).toBe(expected);
});

const ids = ['a', 'b', 'c', 'd', 'e'];
const anAgent = fc.record({
  id: fc.constantFrom(...ids),
  absent_until: fc.constantFrom(null, '2026-02-28', today, '2026-12-31'),
  deputy: fc.constantFrom(null, ...ids),
});
const someAgents = fc.uniqueArray(anAgent, { selector: ({ id }) => id });

type Kind = 'open' | 'closed';

const lists = (owners: Owners, one: string | null) =>
  'of' in owners ? one !== null && owners.of.includes(one) : one === null || !owners.notOf.includes(one);

test.each<Kind>(['open', 'closed'])(
  'whoever is responsible for what is %s finds it among their own, and nobody else does',
  (kind) => {
    fc.assert(
      fc.property(someAgents, fc.constantFrom(null, ...ids), (agents, owner) => {
        const responsible = responsibleOn(agents, today)[kind](owner);
        expect(lists(ownersFor(agents, today, responsible ?? '')[kind], owner)).toBe(true);
        for (const { id } of agents)
          if (id !== responsible) expect(lists(ownersFor(agents, today, id)[kind], owner)).toBe(false);
      }),
    );
  },
);

test('for what is open it is the owner or their deputy, who is there; for what is over the owner, if anybody knows them', () => {
  fc.assert(
    fc.property(someAgents, fc.constantFrom(null, ...ids), (agents, owner) => {
      const of = (id: string | null) => agents.find((one) => one.id === id);
      const responsible = responsibleOn(agents, today);
      expect(responsible.closed(owner)).toBe(of(owner)?.id ?? null);
      const present = responsible.open(owner);
      if (present === null) return;
      expect([owner, of(owner)?.deputy]).toContain(present);
      expect((of(present)?.absent_until ?? '') < today).toBe(true);
    }),
  );
});
