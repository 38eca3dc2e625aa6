import { createHash, timingSafeEqual } from 'node:crypto';
import { ProblemError } from '@ops/service-kit/errors';
import type { Request } from 'express';

const safeMethods = ['GET', 'HEAD', 'OPTIONS'];

export const changesSomething = (req: Request): boolean => !safeMethods.includes(req.method);

/**
 * A browser sends the session cookie along whoever made it ask, so a change made with it has to prove twice that our own
 * page asked: by the session's token, which no other site can read, and by where the browser says it comes from.
 */
export function requireOwnPage(req: Request, given: string | undefined, expected: string, ownOrigin: string): void {
  if (!sameText(given ?? '', expected)) throw refused('X-CSRF-Token must be the csrf_token that GET /ops/me gives');
  if (!comesFrom(req, ownOrigin)) throw refused('Changes with the session cookie are taken from our own pages only');
}

/** Of the two headers that say where a request comes from, one has to be there, and none may name another origin. */
function comesFrom(req: Request, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = req.headers;
  if (origin === undefined && site === undefined) return false;
  return (origin ?? ownOrigin) === ownOrigin && (site ?? 'same-origin') === 'same-origin';
}

const sameText = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
const digest = (text: string) => createHash('sha256').update(text).digest();
const refused = (detail: string) => new ProblemError(403, 'csrf', { detail });
