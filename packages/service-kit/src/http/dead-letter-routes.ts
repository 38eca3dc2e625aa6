import type { DeadLetters } from '@ops/bus/dead-letters';
import { AlreadyReplayedError, RedactedError } from '@ops/bus/errors';
import { routes, type ServiceName } from '@ops/contracts/routes';
import { ZodError } from 'zod';
import { audit } from '../auditing/auditing.ts';
import { conflict, fieldErrors, notFound, unprocessable } from '../errors.ts';
import type { HttpApp } from './http-app.ts';

/** Every service answers for its own dead letters; the gateway sends the call to the service the path names. */
export function mountDeadLetterRoutes(http: HttpApp, own: { service: ServiceName; deadLetters: DeadLetters }): void {
  const refuseOthers = (name: ServiceName) => {
    if (name !== own.service) throw notFound(`This is ${own.service}`);
  };

  http.read(routes.listDeadLetters, async ({ params, query }) => {
    refuseOthers(params.name);
    return { body: await own.deadLetters.list(query).catch(refuseCursor) };
  });

  http.write(routes.replayDeadLetter, async ({ trx, params }) => {
    refuseOthers(params.name);
    const replayed = await own.deadLetters.replay(trx, params.id).catch(refuseReplay);
    if (!replayed) throw notFound('No such dead letter');
    const subject = { kind: 'dead_letter' as const, id: params.id };
    await audit(trx, { subject, before: {}, after: { replayed: true } });
    return { body: replayed };
  });
}

function refuseCursor(error: unknown): never {
  throw error instanceof ZodError ? unprocessable(fieldErrors(error)) : error;
}

function refuseReplay(error: unknown): never {
  if (error instanceof AlreadyReplayedError) throw conflict('It was given to its consumer before');
  throw error instanceof RedactedError ? conflict('What it said was removed when its time was over') : error;
}
