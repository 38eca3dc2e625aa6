import { internalRoutes } from '@ops/contracts/internal-routes';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';
import type { Deps } from '../deps.ts';
import {
  answerBy,
  historyOfCalendar,
  previewCalendar,
  putCalendar,
  readCalendar,
  readCountries,
} from './calendar-service.ts';

export function mountCalendarRoutes(http: HttpApp, deps: Deps): void {
  http.read(routes.getCalendar, async ({ db }) => {
    const calendar = await readCalendar(db);
    return { body: calendar, etag: String(calendar.version) };
  });

  http.write(routes.putCalendar, async ({ trx, body, actor, ifMatch }) => {
    const calendar = await putCalendar(deps, trx, body, actor, ifMatch);
    return { body: calendar, etag: String(calendar.version) };
  });

  http.read(routes.listCalendarHistory, async ({ db, query }) => ({ body: await historyOfCalendar(db, query) }));

  http.read(routes.listCalendarCountries, async () => ({ body: await readCountries() }));

  http.read(routes.previewCalendar, async ({ query, body }) => ({ body: await previewCalendar(body, query.year) }));

  http.internal(internalRoutes.answerBy, async ({ db, body }) => ({
    body: { data: await answerBy(deps, db, body.written) },
  }));
}
