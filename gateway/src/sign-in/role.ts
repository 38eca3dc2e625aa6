import { type Actor, programParts, roles } from '@ops/contracts/roles';

type Granted = Pick<Actor, 'role' | 'parts'>;

/**
 * The role somebody acts in: the most powerful known one of a claim that is a string or a list. Undefined when none is
 * known; a role nobody defined grants nothing. `automation:renewals` is the role `automation` for that part alone.
 */
export function roleOf(claims: unknown, claim: string): Granted | undefined {
  const held = isRecord(claims) && Object.hasOwn(claims, claim) ? [claims[claim]].flat() : [];
  const parts = programParts.filter((part) => held.includes(`automation:${part}`));
  const role = roles.find((known) => held.includes(known) || (known === 'automation' && parts.length > 0));
  if (!role) return undefined;
  return role === 'automation' && !held.includes(role) ? { role, parts } : { role };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
