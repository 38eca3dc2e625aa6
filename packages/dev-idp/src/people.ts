import { type Role, roles } from '@ops/contracts/roles';
import { customerId, subject } from '@ops/contracts/text';

/** Nobody real: one plainly made-up person for each role, and any customer by its id. */
export interface Person {
  sub: string;
  name: string;
  role: Role;
}

const titled = (role: Role) => `Demo ${role.charAt(0).toUpperCase()}${role.slice(1)}`;

export const demoPeople: readonly Person[] = roles
  .filter((role) => role !== 'customer')
  .map((role) => ({ sub: `demo-${role}`, name: titled(role), role }));

/** Whom a sign-in names: a demo person, else the customer of that id; nobody when it cannot be a customer id. */
export function personOf(sub: string): Person | undefined {
  return demoPeople.find((person) => person.sub === sub) ?? customerOf(sub);
}

/** Whom a token is asked for: any role, under the demo person's own name unless another is given. */
export function personInRole(role: string, sub: string | undefined): Person | undefined {
  if (role === 'customer') return sub === undefined ? undefined : customerOf(sub);
  const person = demoPeople.find((one) => one.role === role);
  if (!person || sub === undefined) return person;
  return subject.safeParse(sub).success ? { ...person, sub, name: sub } : undefined;
}

function customerOf(id: string): Person | undefined {
  if (!customerId.safeParse(id).success) return undefined;
  return { sub: id, name: `Demo Customer ${id}`, role: 'customer' };
}
