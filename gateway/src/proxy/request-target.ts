import { notFound } from '@ops/service-kit/errors';
import type { RequestHandler, Response } from 'express';

/**
 * The one reading of a request's target that authorisation, routing and the services behind agree on. Whatever could be
 * read in two ways (dot segments, encoded slashes, backslashes, empty segments, a second encoding, fragments, an absolute
 * address) is not interpreted but refused: a path the gateway reads one way and a service another is a way around roles.
 */
export interface Target {
  /** As sent; its segments hold nothing that a decoder could turn into a separator or a dot segment. */
  path: string;
  segments: readonly string[];
}

const character = "(?:[A-Za-z0-9\\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})";
const plainPath = new RegExp(`^/(?:${character}+(?:/${character}+)*)?$`);
const plainQuery = /^[\x21\x22\x24-\x7e]*$/;

export function readTarget(url: string): Target | undefined {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (!plainPath.test(path) || !plainQuery.test(mark < 0 ? '' : url.slice(mark + 1))) return undefined;
  const segments = path.slice(1).split('/');
  return segments.every(unambiguous) ? { path, segments } : undefined;
}

function unambiguous(segment: string): boolean {
  if (segment === '.' || segment === '..' || /%2e/i.test(segment)) return false;
  try {
    return !/[/\\%\p{Cc}]/u.test(decodeURIComponent(segment));
  } catch {
    return false;
  }
}

/** Refuses what cannot be read in one way only, before anything else looks at it. */
export const plainTargetsOnly: RequestHandler = (req, res, next) => {
  const target = readTarget(req.originalUrl);
  if (!target) throw notFound('No such path');
  res.locals.target = target;
  next();
};

export const targetOf = (res: Response): Target => res.locals.target;
