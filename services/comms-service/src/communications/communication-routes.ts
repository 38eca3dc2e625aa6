import { nameOf, routes } from '@ops/contracts/routes';
import type { Trx } from '@ops/service-kit/database';
import type { HttpApp, SharedContext } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import type { NoteView } from '../records/view-service.ts';
import { mayGoTogether } from './communication.rules.ts';
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

  const create = async (trx: Trx, wanted: readonly service.Posted[], mayWait: boolean) =>
    (await service.createCommunications(deps, trx, wanted, mayWait)).map((body) => ({ body }));

  const asPosted = ({
    params,
    body,
    actor,
    trace,
  }: SharedContext<typeof routes.createCommunication>): service.Posted => ({
    customerId: params.id,
    input: body,
    actor,
    trace,
  });
  http.writeTogether(
    routes.createCommunication,
    (trx, all, mayWait) => create(trx, all.map(asPosted), mayWait),
    (all) => mayGoTogether(all.map(asPosted)),
  );

  const asNote = ({ params, body, actor, trace }: SharedContext<typeof routes.createNote>): service.Posted => ({
    customerId: params.id,
    input: { type: 'INTERNAL_NOTE', direction: 'INTERNAL', ...body },
    actor,
    trace,
  });
  http.writeTogether(
    routes.createNote,
    (trx, all, mayWait) => create(trx, all.map(asNote), mayWait),
    (all) => mayGoTogether(all.map(asNote)),
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
