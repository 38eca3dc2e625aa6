import { BrokerAwayError } from '../errors.ts';
import type { Route } from '../port.ts';
import type { Link } from './link.ts';
import { declareShared, isThere, type Names } from './names.ts';

/**
 * AMQP cannot be asked for a binding, but makes one again without harm: so a queue that exists is bound by the way,
 * also when its owner has declared it and not yet come to its bindings.
 */
export async function findMissingRoutes(link: Link, names: Names, routes: readonly Route[]): Promise<Route[]> {
  const problem = link.problem();
  if (problem !== undefined) throw new BrokerAwayError(problem);
  await declareShared(link, names);
  const missing: Route[] = [];
  for (const route of routes) if (!(await isBound(link, names, route))) missing.push(route);
  return missing;
}

const isBound = (link: Link, names: Names, { type, queue }: Route): Promise<boolean> =>
  isThere(link, (channel) => channel.bindQueue(names.queue(queue), names.events, type));
