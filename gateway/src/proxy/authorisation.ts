import type { Actor } from '@ops/contracts/roles';
import { type ProcessName, type RouteName, type RouteSpec, routes, serviceNames } from '@ops/contracts/routes';
import { forbidden, methodNotAllowed, notFound } from '@ops/service-kit/errors';

export interface Route {
  name: RouteName;
  spec: RouteSpec;
  /** The process that answers. */
  owner: ProcessName;
}

interface Pattern {
  name: RouteName;
  spec: RouteSpec;
  segments: readonly string[];
}

const isParameter = (segment: string) => segment.startsWith(':');

/** Literal segments win over parameters, as in the services: `/x/failed` is not the `:id` called failed. */
const patterns: readonly Pattern[] = (Object.entries(routes) as [RouteName, RouteSpec][])
  .map(([name, spec]) => ({ name, spec, segments: spec.path.slice(1).split('/') }))
  .sort((a, b) => shape(a).localeCompare(shape(b)));

function shape(pattern: Pattern): string {
  return pattern.segments.map((segment) => (isParameter(segment) ? '1' : '0')).join('');
}

/**
 * Which route of the table a request means and whether this person may call it. Throws 404 for a path that is not in
 * the table, 405 for another method, 403 for another role. A HEAD is asked like its GET.
 */
export function authorise(method: string, segments: readonly string[], actor: Actor): Route {
  const here = patterns.filter((pattern) => fits(pattern, segments));
  if (here.length === 0) throw notFound('No such path');
  const asked = method === 'HEAD' ? 'GET' : method;
  const found = here.find((pattern) => pattern.spec.method === asked);
  if (!found) throw methodNotAllowed(methodsOf(here));
  if (!found.spec.roles.includes(actor.role)) throw forbidden(`Not for the role ${actor.role}`);
  const { part } = found.spec;
  if (part && actor.parts && !actor.parts.includes(part)) throw forbidden(`Not without the role automation:${part}`);
  return { name: found.name, spec: found.spec, owner: ownerOf(found, segments) };
}

const fits = (pattern: Pattern, segments: readonly string[]) =>
  pattern.segments.length === segments.length &&
  pattern.segments.every((expected, i) => isParameter(expected) || expected === segments[i]);

function methodsOf(here: readonly Pattern[]): string[] {
  const methods = new Set<string>(here.map((pattern) => pattern.spec.method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods];
}

function ownerOf({ spec, segments: expected }: Pattern, segments: readonly string[]): ProcessName {
  if (spec.owner !== 'named') return spec.owner;
  const named = segments[expected.indexOf(':name')];
  const found = ([...serviceNames, 'gateway'] as const).find((name) => name === named);
  if (!found) throw notFound('No such service');
  return found;
}
