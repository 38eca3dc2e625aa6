import type { QueryClient } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { type Problem, ProblemError } from '../api/problem.ts';
import { renewalQuery } from '../renewals/renewal-queries.ts';
import { serviceTypesQuery } from '../renewals/service-types.ts';
import { exampleIn } from '../settings/service-labels.ts';
import { type Channel, wordsToSend } from '../settings/template-names.ts';
import { templatesQuery } from '../settings/template-queries.ts';
import type { Draft } from './compose.ts';
import { customerQuery } from './customer-queries.ts';
import { dateLanguage, daysSaid, wordsIn } from './template-rules.ts';

export type NewestAlert = NonNullable<Problem['newest_alert']>;

interface Addressed {
  customerId: string;
  renewalId: string;
  channel: Channel;
}

/** What that alert of a renewal says to its customer, as it would be sent by itself. */
export async function todaysWords(
  queries: QueryClient,
  { customerId, renewalId, channel }: Addressed,
  { rung, due_date, days_until_due }: NewestAlert,
): Promise<Draft> {
  const [{ name, locale }, { service_type }, services, templates] = await Promise.all([
    queries.fetchQuery(customerQuery(customerId)),
    queries.fetchQuery(renewalQuery(renewalId)),
    queries.fetchQuery(serviceTypesQuery),
    queries.fetchQuery(templatesQuery),
  ]);
  const words = wordsIn(
    templates.filter((one) => one.rung === rung && one.channel === channel),
    locale,
  );
  if (!words) throw new ProblemError(404, { title: 'There is no template for that alert' });
  const named = services.find(({ code }) => code === service_type) ?? { label: service_type, labels: {} };
  const { subject, body } = await dataOf(
    api.POST('/ops/templates/{rung}/{channel}/{locale}/preview', {
      params: { path: { rung, channel, locale: dateLanguage(words.locale, locale) } },
      body: {
        ...wordsToSend({ subject: words.subject ?? '', body: words.body }, channel),
        name,
        service: exampleIn(words.locale, [named]),
        due_date,
        days: daysSaid(rung, days_until_due),
      },
    }),
  );
  return { subject: subject ?? '', body };
}
