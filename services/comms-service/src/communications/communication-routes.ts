import { nameOf, routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import type { NoteView } from '../records/view-service.ts';
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

  http.write(routes.createCommunication, async ({ trx, params, body, actor }) => ({
    body: await service.createCommunication(deps, trx, params.id, body, actor),
  }));

  http.write(routes.createNote, async ({ trx, params, body, actor }) => ({
    body: await service.createNote(deps, trx, params.id, body, actor),
  }));

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
