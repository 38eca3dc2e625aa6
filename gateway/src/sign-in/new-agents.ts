import { internalRoutes } from '@ops/contracts/internal-routes';
import type { Actor } from '@ops/contracts/roles';
import { createInternalClient } from '@ops/service-kit/internal-client';
import type { Logger } from '@ops/service-kit/logger';

/** Hears of everybody who was let in, and holds nobody up. */
export type Welcome = (actor: Actor) => void;

export interface WelcomeOptions {
  privateKey: string;
  notifierUrl: string;
  logger: Logger;
  now?: () => number;
}

const timeoutMs = 5_000;
const againAfterMs = 60_000;
const mostRemembered = 10_000;
const longestName = 200;

/**
 * Tells notifier of everybody of the firm, by whatever token or session they come: they can be given work from then on. Each
 * once while this process runs, and again after a while where it could not be told.
 */
export function createWelcome({ privateKey, notifierUrl, logger, now = Date.now }: WelcomeOptions): Welcome {
  const client = createInternalClient({ self: 'gateway', privateKey, urls: { notifier: notifierUrl }, timeoutMs });
  const notBefore = new Map<string, number>();
  return ({ sub: id, role, name = id }) => {
    if ((role !== 'staff' && role !== 'admin') || (notBefore.get(id) ?? 0) > now()) return;
    if (notBefore.size >= mostRemembered) notBefore.clear();
    notBefore.set(id, Number.POSITIVE_INFINITY);
    const body = { id, name: name.slice(0, longestName).toWellFormed() };
    client.ask('notifier', internalRoutes.noteSignIn, { body }).catch((error: unknown) => {
      notBefore.set(id, now() + againAfterMs);
      logger.warn({ err: error }, 'notifier could not be told of an agent; it is tried again in a while');
    });
  };
}
