import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';
import {
  exampleFor,
  type SeveralDraft,
  severalToSend,
  type TemplatePlace,
  type Words,
  wordsToSend,
} from './template-names.ts';

export const templatesQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/templates', { signal }))).data,
  refetchOnMount: 'always',
});

/** What the words would say to a made-up customer, of such a service. */
export const previewQuery = ({ rung, channel, locale }: TemplatePlace, words: Words, service: string) =>
  queryOptions({
    queryKey: ['template-preview', rung, channel, locale, words, service],
    enabled: words.body.trim() !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/ops/templates/{rung}/{channel}/{locale}/preview', {
          params: { path: { rung, channel, locale: locale ?? 'en' } },
          body: { ...wordsToSend(words, channel), name: 'Demo Customer', service, ...exampleFor(rung, new Date()) },
          signal,
        }),
      ),
  });

/** What they would say of three renewals: the most urgent has the rung. */
export const severalPreviewQuery = ({ rung, channel, locale }: TemplatePlace, words: SeveralDraft, service: string) => {
  const several = severalToSend(words, channel);
  const first = { service, ...exampleFor(rung, new Date()) };
  const others = (['60', '90'] as const).map((one) => ({ service, number: null, ...exampleFor(one, new Date()) }));
  const renewals = [{ ...first, number: 'P-1234' }, ...others];
  return queryOptions({
    queryKey: ['template-preview', 'several', rung, channel, locale, words, service],
    enabled: several !== undefined,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/ops/templates/{rung}/{channel}/{locale}/preview', {
          params: { path: { rung, channel, locale: locale ?? 'en' } },
          body: { subject: null, body: '', ...several, name: 'Demo Customer', ...first, renewals },
          signal,
        }),
      ),
  });
};
