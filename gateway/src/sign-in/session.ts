import { randomBytes } from 'node:crypto';
import { type Actor, role as knownRole } from '@ops/contracts/roles';
import { subject } from '@ops/contracts/text';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Identity } from './access-token.ts';
import { createCookie } from './cookies.ts';
import type { Sealer } from './sealed.ts';

/**
 * A browser's sign-in, kept in its own sealed cookie so that any gateway process can serve it. It ends when the access
 * token it came from ends, and is not renewed: the next sign-in is silent while the identity provider's own session
 * lasts, and a role taken away there is gone here by then at the latest.
 */
export interface Session extends Identity {
  /** Has to come back in a header with every change. */
  csrf: string;
  /** Proves to the identity provider, at sign-out, whose session to end. */
  idToken: string | undefined;
}

export interface Sessions {
  read(req: Request): Promise<Session | undefined>;
  begin(res: Response, identity: Identity, idToken: string | undefined): Promise<void>;
  end(res: Response): void;
}

const purpose = 'session';
/** Browsers drop cookies over 4096 bytes without a word. */
const longestCookie = 3800;

const content = z.object({
  sub: subject,
  name: z.string().optional(),
  client: z.string().optional(),
  role: knownRole,
  csrf: z.string().min(20),
  id_token: z.string().optional(),
  exp: z.number(),
});

export function createSessions(sealer: Sealer, secure: boolean): Sessions {
  const cookie = createCookie('ops_session', secure);
  return {
    async read(req) {
      const sealed = cookie.read(req);
      const facts = content.safeParse(sealed && (await sealer.open(purpose, sealed)));
      return facts.success ? sessionOf(facts.data) : undefined;
    },
    async begin(res, { actor, expiresAt }, idToken) {
      const facts = { ...actor, csrf: randomBytes(24).toString('base64url') };
      const whole = await sealer.seal(purpose, { ...facts, ...(idToken && { id_token: idToken }) }, expiresAt);
      const fits = whole.length <= longestCookie;
      cookie.write(res, fits ? whole : await sealer.seal(purpose, facts, expiresAt), expiresAt);
    },
    end: (res) => cookie.clear(res),
  };
}

function sessionOf({ csrf, id_token, exp, ...who }: z.infer<typeof content>): Session {
  const actor = who as Actor;
  return { actor, expiresAt: new Date(exp * 1000), csrf, idToken: id_token };
}
