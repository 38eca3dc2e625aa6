import type { MessagingTemplate } from '@ops/contracts/resources/messaging-template';
import { routes } from '@ops/contracts/routes';
import type { HttpApp } from '@ops/service-kit/http-app';

/** Shows the templates for what people write, in the order in which the first is taken where no language fits. */
export function mountMessagingTemplateRoutes(http: HttpApp, templates: readonly MessagingTemplate[]): void {
  http.read(routes.listMessagingTemplates, async () => ({ body: { data: [...templates] } }));
}
