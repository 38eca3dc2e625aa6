import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import { knownOf } from '@ops/following/agent-service';
import { inTransaction } from '@ops/service-kit/database';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { historyOfAgent, listAgents, noteSignIn, putAgent } from './agent-service.ts';
import { assignTasks, dateTasks, handOverTasks } from './bulk-service.ts';
import { createTask, getTask, historyOfTask, listTasks, patchTask } from './task-service.ts';

export function mountTaskRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.listTasks, async ({ db, query }) => ({ body: await listTasks(deps, db, query) }));

  http.read(routes.getTask, async ({ db, params }) => {
    const task = await getTask(deps, db, params.id);
    return { body: task, etag: String(task.version) };
  });

  http.read(routes.listTaskHistory, async ({ db, params, query }) => ({
    body: await historyOfTask(deps, db, params.id, query),
  }));

  http.write(routes.createTask, async ({ trx, body, actor }) => ({ body: await createTask(deps, trx, body, actor) }));

  http.write(routes.patchTask, async ({ trx, params, body, ifMatch }) => {
    const task = await patchTask(deps, trx, params.id, body, ifMatch);
    return { body: task, etag: String(task.version) };
  });

  http.write(routes.assignTasks, async ({ trx, body }) => ({ body: await assignTasks(deps, trx, body) }));

  http.write(routes.dateTasks, async ({ trx, body }) => ({ body: await dateTasks(deps, trx, body) }));

  http.write(routes.handOverTasks, async ({ trx, body, query }) => ({
    body: await handOverTasks(deps, trx, body, query.dry_run),
  }));

  http.read(routes.listAgents, async ({ db }) => ({ body: await listAgents(db) }));

  http.write(routes.putAgent, async ({ trx, params, body, ifMatch }) => {
    const { agent, created } = await putAgent(deps, trx, params.id, body, ifMatch);
    return { status: created ? 201 : 200, body: agent, etag: String(agent.version) };
  });

  http.read(routes.listAgentHistory, async ({ db, params, query }) => ({
    body: await historyOfAgent(db, params.id, query),
  }));

  http.internal(internalRoutes.readKnownAgents, async ({ db, body }) => ({
    body: { data: await knownOf(db, body.ids) },
  }));

  http.internal(internalRoutes.noteSignIn, async ({ db, body }) => {
    await inTransaction(db, (trx) => noteSignIn(deps, trx, body));
    return { body: { id: body.id } };
  });
}
