import type { Journal } from './journal.ts';
import type { Fact, Person } from './message.ts';
import { addressesOf, createWorld, type World } from './world.ts';

/** The world and its journal together: a fact is kept first, then true, then told to whoever watches. */
export interface Book {
  world: World;
  record(...facts: Fact[]): void;
  /** Who has this address; somebody new, known by nothing else, if nobody had it. */
  personAt(address: string): Person;
  /** Somebody with these addresses, given a name; known already if one of them is. */
  introduce(given: Omit<Person, 'id'>): Person;
  watch(hear: (fact: Fact) => void): () => void;
}

export function openBook(journal: Journal): Book {
  const world = createWorld();
  const watchers = new Set<(fact: Fact) => void>();
  for (const fact of journal.kept) world.apply(fact);
  const record = (...facts: Fact[]) => {
    journal.append(...facts);
    for (const fact of facts) {
      world.apply(fact);
      for (const hear of watchers) hear(fact);
    }
  };
  const introduce = (given: Omit<Person, 'id'>) => {
    const known = addressesOf({ id: '', ...given }).map((address) => world.personAt(address));
    const before = known.find((person) => person !== undefined);
    const person = merge(before, given);
    if (JSON.stringify(person) !== JSON.stringify(before)) record({ fact: 'person', person });
    return person;
  };
  return {
    world,
    record,
    introduce,
    personAt: (address) => world.personAt(address) ?? introduce({ name: address, ...addressAs(address) }),
    watch: (hear) => {
      watchers.add(hear);
      return () => void watchers.delete(hear);
    },
  };
}

function merge(before: Person | undefined, given: Omit<Person, 'id'>): Person {
  const phone = given.phone ?? before?.phone ?? null;
  const user_id = given.user_id ?? before?.user_id ?? null;
  const email = given.email ?? before?.email ?? null;
  const id = before?.id ?? phone ?? user_id ?? email;
  if (id === null) throw new Error('somebody without any address');
  return { id, name: given.name, phone, user_id, email };
}

const addressAs = (address: string) => ({
  phone: address.startsWith('+') ? address : null,
  email: address.includes('@') ? address : null,
  user_id: address.startsWith('+') || address.includes('@') ? null : address,
});
