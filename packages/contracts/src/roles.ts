import { z } from 'zod';

/** From the most to the least powerful: a token with several roles acts as the first of them. */
export const roles = ['admin', 'staff', 'automation', 'scheduler', 'customer'] as const;
export const role = z.enum(roles);
export type Role = z.infer<typeof role>;

/** What a program may be given instead of all that `automation` may: the role `automation:renewals`, say. */
export const programParts = ['customers', 'communications', 'renewals', 'events', 'imports'] as const;
export const programPart = z.enum(programParts);
export type ProgramPart = z.infer<typeof programPart>;

/** Who acts. A customer's `sub` is its customer id. */
export interface Actor {
  sub: string;
  role: Role;
  name?: string;
  /** The application it acts with, where its token names one. */
  client?: string;
  /** Of a program that may not do all that its role may. */
  parts?: ProgramPart[];
}

/** Staff see everything; automation and customers never see an INTERNAL_NOTE or a CALL_LOG. */
export const seesInternal = (actor: Actor): boolean => actor.role === 'staff' || actor.role === 'admin';
