import { z } from 'zod';
import { instant, text } from '../text.ts';

/** What stands for something that is known only when the words are taken: `{{customer_name}}`. */
export const cannedFields = ['customer_name', 'agent_name', 'next_service', 'next_due_date'] as const;

const isField = (name: string) => (cannedFields as readonly string[]).includes(name);

/** Each `{{...}}` in them that nothing would stand in for. */
export const unknownFields = (words: string): string[] =>
  [...words.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)].flatMap(([, name = '']) => (isField(name) ? [] : [name]));

const words = text(1, 4_096)
  .refine((value) => unknownFields(value).length === 0, {
    error: ({ input }) => `has a field that nobody fills: {{${unknownFields(String(input)).join('}}, {{')}}}`,
  })
  .meta({ description: `With ${cannedFields.map((name) => `\`{{${name}}}\``).join(', ')}` });

/** What stands below somebody's e-mails, as it is. */
const signature = text(1, 2_000).refine(
  (value) => !/\{\{.*?\}\}/.test(value),
  'has a field, and in a signature nobody fills it',
);

const cannedReply = { title: text(1, 100), body: words };

export const cannedScope = z.enum(['own', 'shared']).meta({ description: 'Whose: of who asks, or everybody’s' });
export type CannedScope = z.infer<typeof cannedScope>;
export const cannedQuery = z.strictObject({ scope: cannedScope });

export const cannedReplies = z
  .object({
    scope: cannedScope,
    replies: z.array(z.object(cannedReply)),
    signature: z.string().nullable().meta({ description: 'Of one’s own: what stands below one’s e-mails' }),
    version: z.int().min(0).meta({ description: '0: nobody saved any yet' }),
    updated_at: instant.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'CannedReplies' });
export type CannedReplies = z.infer<typeof cannedReplies>;

export const putCannedReplies = z
  .strictObject({
    replies: z.array(z.strictObject(cannedReply)).max(200),
    signature: signature.nullish().meta({ description: 'Of one’s own only; left out, it stays as it is' }),
  })
  .meta({ id: 'PutCannedReplies' });
export type PutCannedReplies = z.infer<typeof putCannedReplies>;
