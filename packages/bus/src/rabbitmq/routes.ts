import type { Channel } from 'amqplib';
import { BrokerAwayError, reasonOf } from '../errors.ts';
import { patienceMs, within } from '../pause.ts';
import type { Route } from '../port.ts';
import { closeChannel } from './channel.ts';
import type { Link } from './link.ts';
import { declareEvents, type Names } from './names.ts';

const notFound = 404;

/**
 * AMQP cannot be asked for a binding, but makes one again without harm: so a queue that exists is bound by the way,
 * also when its owner has declared it and not yet come to its bindings.
 */
export async function findMissingRoutes(link: Link, names: Names, routes: readonly Route[]): Promise<Route[]> {
  const problem = link.problem();
  if (problem !== undefined) throw new BrokerAwayError(problem);
  const missing: Route[] = [];
  for (const route of routes) if (!(await bound(link, names, route))) missing.push(route);
  return missing;
}

/** A queue that is not there closes the channel that asked, so each question has its own. */
async function bound(link: Link, names: Names, route: Route): Promise<boolean> {
  const channel: Channel = await link.createChannel();
  channel.on('error', () => undefined);
  try {
    await within(patienceMs, bind(channel, names, route));
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === notFound) return false;
    closeChannel(channel).catch(() => undefined);
    throw new BrokerAwayError(reasonOf(error));
  }
}

async function bind(channel: Channel, names: Names, { type, queue }: Route): Promise<void> {
  await declareEvents(channel, names);
  await channel.bindQueue(names.queue(queue), names.events, type);
  await channel.close();
}
