import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { toldByNobody } from '../api/told-by-nobody.ts';
import { exampleFor, type TemplatePlace, type Words, wordsToSend } from './template-names.ts';

export const templatesQuery = queryOptions({
  ...toldByNobody,
  queryKey: ['templates'],
  queryFn: async ({ signal }) => (await dataOf(api.GET('/ops/templates', { signal }))).data,
  refetchOnMount: 'always',
});

const example = { name: 'Demo Customer', service: 'Residence permit' };

/** What the words would say to a made-up customer. */
export const previewQuery = ({ rung, channel, locale }: TemplatePlace, words: Words) =>
  queryOptions({
    queryKey: ['template-preview', rung, channel, locale, words],
    enabled: words.body.trim() !== '',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/ops/templates/{rung}/{channel}/{locale}/preview', {
          params: { path: { rung, channel, locale: locale ?? 'en' } },
          body: { ...wordsToSend(words, channel), ...example, ...exampleFor(rung, new Date()) },
          signal,
        }),
      ),
  });
