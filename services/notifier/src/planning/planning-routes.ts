import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import { getAlertPlan, historyOfAlertPlan, putAlertPlan } from './alert-plan-service.ts';
import { foreseeAlerts } from './foreseeing-service.ts';
import { readOvertaking } from './overtaking-service.ts';
import { historyOfTemplate, listTemplates, previewTemplate, putTemplate } from './template-service.ts';

export function mountPlanningRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.getAlertPlan, async ({ db }) => {
    const plan = await getAlertPlan(db);
    return { body: plan, etag: String(plan.version) };
  });

  http.write(routes.putAlertPlan, async ({ trx, body, actor, ifMatch }) => {
    const plan = await putAlertPlan(deps, trx, body, actor, ifMatch);
    return { body: plan, etag: String(plan.version) };
  });

  http.read(routes.listAlertPlanHistory, async ({ db, query }) => ({ body: await historyOfAlertPlan(db, query) }));

  http.internal(internalRoutes.readAlertPlan, async ({ db }) => {
    const { steps, version } = await getAlertPlan(db);
    return { body: { steps, version } };
  });

  http.internal(internalRoutes.foreseeAlerts, async ({ db, body }) => ({
    body: { data: await foreseeAlerts(deps, db, body.data) },
  }));

  http.read(routes.listTemplates, async ({ db }) => ({ body: await listTemplates(db) }));

  http.write(routes.putTemplate, async ({ trx, params, body, actor, ifMatch }) => {
    const { template, created } = await putTemplate(deps, trx, params, body, actor, ifMatch);
    return { status: created ? 201 : 200, body: template, etag: String(template.version) };
  });

  http.read(routes.listTemplateHistory, async ({ db, params, query }) => ({
    body: await historyOfTemplate(db, params, query),
  }));

  http.internal(internalRoutes.readOvertaking, async ({ db, params }) => ({
    body: { overtaken: await readOvertaking(deps, db, params.id) },
  }));

  http.read(routes.previewTemplate, async ({ params, body }) => ({ body: previewTemplate(params, body) }));
}
