import { internalRoutes } from '@ops/contracts/internal-routes';
import { nameOf, routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import type { NoteView } from '../records/view-service.ts';
import * as service from './attachment-service.ts';
import type { ShowHtml } from './showing-service.ts';

export function mountAttachmentRoutes(
  http: HttpApp,
  deps: Deps & { showHtml: ShowHtml; unsentMaxBytes: number; noteView: NoteView },
): void {
  http.write(routes.uploadAttachment, async ({ trx, params, query, body, actor }) => ({
    body: await service.uploadAttachment(deps, trx, params.id, query.name, body, actor),
  }));

  http.write(routes.retryAttachment, async ({ trx, params }) => ({
    body: await service.retryAttachment(deps, trx, params.id),
  }));

  http.read(routes.listCustomerFiles, async ({ db, params, query }) => ({
    body: await service.listCustomerFiles(db, params.id, query),
  }));

  http.file(routes.getAttachment, async ({ db, params, actor, requestId }) => {
    const { customerId, file } = await service.serveAttachment(db, params.id);
    const by = { actor, requestId, action: nameOf(routes.getAttachment) };
    if (customerId !== null) await deps.noteView(db, by, customerId);
    return file;
  });

  http.file(routes.showCommunication, async ({ db, params }) => deps.showHtml(db, params.id));

  http.internal(internalRoutes.getAttachmentContent, async ({ db, params }) =>
    service.attachmentContent(db, params.id),
  );
}
