import type { CannedReplies } from '@ops/contracts/resources/canned-reply';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import * as service from './canned-reply-service.ts';

export function mountCannedReplyRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.getCannedReplies, async ({ db, query, actor }) =>
    answer(await service.getCannedReplies(db, query.scope, actor)),
  );

  http.write(routes.putCannedReplies, async ({ trx, query, body, actor, ifMatch }) =>
    answer(await service.putCannedReplies(deps, trx, query.scope, body, actor, ifMatch)),
  );

  http.read(routes.listCannedReplyHistory, async ({ db, query }) => ({
    body: await service.historyOfCannedReplies(db, query),
  }));
}

const answer = (replies: CannedReplies) => ({ body: replies, etag: String(replies.version) });
