import { z } from 'zod';
import { pageOf, pageQuery } from '../pagination.ts';
import { customerId, instant, recordId, text } from '../text.ts';
import { communicationType, direction } from './communication.ts';

/** What somebody looks for; a word of three characters and more may be the beginning of one. */
export const searchText = text(1, 200);

export const searchQuery = z.strictObject({
  q: searchText.meta({
    description:
      'Words, all of which it has, in any order; case and accents make no difference, and a word of three characters ' +
      'or more may go on',
    example: 'passport copy',
  }),
  ...pageQuery,
});
export type SearchQuery = z.infer<typeof searchQuery>;

const snippet = z
  .array(z.object({ text: z.string(), hit: z.boolean() }))
  .meta({ description: 'Some of what it says around the first of the words, in pieces; `hit`: one of them' });
export type Snippet = z.infer<typeof snippet>;

export const foundCommunication = z
  .object({
    id: recordId,
    customer_id: customerId
      .nullable()
      .meta({ description: 'null: nobody knows yet who wrote it; it is among the unmatched' }),
    customer_name: z.string().nullable(),
    sender: z
      .string()
      .nullable()
      .meta({ description: 'Of those that are of nobody: how they call themselves, else their address' }),
    type: communicationType,
    direction,
    author: z.string().nullable(),
    occurred_at: instant,
    snippet,
  })
  .meta({ id: 'FoundCommunication' });
export type FoundCommunication = z.infer<typeof foundCommunication>;

export const foundPage = pageOf(foundCommunication)
  .extend({
    is_partial: z.boolean().meta({
      description: 'So many have these words that not all were looked through: the newest are here, and some others',
    }),
  })
  .meta({ id: 'FoundCommunicationPage' });
export type FoundPage = z.infer<typeof foundPage>;
