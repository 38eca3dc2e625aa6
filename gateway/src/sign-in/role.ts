import { type Role, roles } from '@ops/contracts/roles';

/**
 * The role somebody acts in: the most powerful known one of a claim that is a string or a list. Undefined when none is
 * known; a role nobody defined grants nothing.
 */
export function roleOf(claims: unknown, claim: string): Role | undefined {
  if (!isRecord(claims) || !Object.hasOwn(claims, claim)) return undefined;
  const held = [claims[claim]].flat();
  return roles.find((role) => held.includes(role));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
