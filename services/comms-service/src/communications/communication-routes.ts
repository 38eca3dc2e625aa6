import { nameOf, routes } from '@ops/contracts/routes';
import type { Trx } from '@ops/service-kit/database';
import type { HttpApp, SharedContext } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import type { NoteView } from '../records/view-service.ts';
import { mayJoin, mayShare } from './communication.rules.ts';
import * as service from './communication-service.ts';

export function mountCommunicationRoutes(http: HttpApp, deps: Deps & { noteView: NoteView }): void {
  http.read(routes.listCommunications, async ({ db, params, query, actor, requestId }) => {
    const body = await service.listCommunications(db, params.id, query, actor);
    await deps.noteView(db, { actor, requestId, action: nameOf(routes.listCommunications) }, params.id);
    return { body };
  });

  http.read(routes.countCommunications, async ({ db, params, query }) => ({
    body: await service.countCommunications(db, params.id, query.q),
  }));

  const together = <Context>(asPosted: (context: Context) => service.Posted) =>
    [
      async (trx: Trx, all: readonly Context[], mayWait: boolean) =>
        (await service.createCommunications(deps, trx, all.map(asPosted), mayWait)).map((body) => ({ body })),
      {
        mayShare: (one: Context) => mayShare(asPosted(one)),
        mayJoin: (all: readonly Context[], one: Context) => mayJoin(all.map(asPosted), asPosted(one)),
      },
    ] as const;

  http.writeTogether(
    routes.createCommunication,
    ...together(({ params, body, actor, trace }: SharedContext<typeof routes.createCommunication>) => ({
      customerId: params.id,
      input: body,
      actor,
      trace,
    })),
  );

  http.writeTogether(
    routes.createNote,
    ...together(({ params, body, actor, trace }: SharedContext<typeof routes.createNote>) => ({
      customerId: params.id,
      input: { type: 'INTERNAL_NOTE', direction: 'INTERNAL', ...body },
      actor,
      trace,
    })),
  );

  http.write(routes.markCommunicationsRead, async ({ trx, params, body }) => ({
    body: await service.markCommunicationsRead(deps, trx, params.id, body),
  }));

  http.write(routes.markCommunicationsUnread, async ({ trx, params, body }) => ({
    body: await service.markCommunicationsUnread(deps, trx, params.id, body),
  }));

  http.write(routes.moveCommunication, async ({ trx, params, body, actor }) => ({
    body: await service.moveCommunication(deps, trx, params.id, body.customer_id, actor),
  }));

  http.write(routes.strikeCommunication, async ({ trx, params, actor }) => ({
    body: await service.strikeCommunication(deps, trx, params.id, actor),
  }));

  http.read(routes.listCommunicationHistory, async ({ db, params, query }) => ({
    body: await service.listCommunicationHistory(db, params.id, query),
  }));
}
