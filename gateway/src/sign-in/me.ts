import type { Me } from '@ops/contracts/resources/me';
import type { Response } from 'express';
import type { Caller } from './authentication.ts';

/** Who the caller is to us, until when, and the token a browser's changes need. */
export function answerMe(res: Response, { actor, expiresAt, session }: Caller): void {
  const me: Me = {
    sub: actor.sub,
    name: actor.name ?? null,
    role: actor.role,
    expires_at: expiresAt.toISOString(),
    csrf_token: session?.csrf ?? null,
  };
  res.json(me);
}
