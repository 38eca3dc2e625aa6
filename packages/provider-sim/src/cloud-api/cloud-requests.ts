import { z } from 'zod';
import { describeCode } from './cloud-codes.ts';

const media = z.object({ id: z.string(), caption: z.string().optional(), filename: z.string().optional() });

/** A message as the messaging app's API takes it. */
export const sendRequest = z
  .object({
    messaging_product: z.literal('whatsapp'),
    to: z.string().min(1).optional(),
    recipient: z.string().min(1).optional(),
    type: z.enum(['text', 'template', 'image', 'document', 'audio', 'video', 'reaction']).default('text'),
    text: z.object({ body: z.string().min(1).max(4096) }).optional(),
    image: media.optional(),
    document: media.optional(),
    audio: media.optional(),
    video: media.optional(),
    template: z
      .object({
        name: z.string(),
        language: z.object({ code: z.string() }),
        components: z
          .array(z.object({ type: z.string(), parameters: z.array(z.object({ type: z.string(), text: z.string() })) }))
          .default([]),
      })
      .optional(),
    reaction: z.object({ message_id: z.string(), emoji: z.string() }).optional(),
    context: z.object({ message_id: z.string() }).optional(),
    biz_opaque_callback_data: z.string().max(512).optional(),
  })
  .refine((request) => request.to !== undefined || request.recipient !== undefined, 'to or recipient')
  .refine((request) => request[request.type] !== undefined, 'what its type names');
export type SendRequest = z.infer<typeof sendRequest>;

/** Marks a message of the person's as read. */
export const readRequest = z.object({ status: z.literal('read'), message_id: z.string() });

export interface CloudRefusal {
  status: number;
  code: number;
  message: string;
}

export const cloudError = ({ code, message }: Omit<CloudRefusal, 'status'>): object => ({
  error: {
    message: `(#${code}) ${message}`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details: message },
    fbtrace_id: 'simulated',
  },
});

export const refusedByCode = (code: number): CloudRefusal => ({
  status: 400,
  code,
  message: describeCode(code).title,
});

/** Undefined: nothing stands against the template. */
export function templateRefusal({ template }: SendRequest, approved: readonly string[]): CloudRefusal | undefined {
  if (!template) return undefined;
  if (!approved.includes(`${template.name}:${template.language.code}`))
    return { status: 404, code: 132001, message: 'Template name does not exist in the translation' };
  const given = parametersOf(template);
  if (given.length !== 1)
    return { status: 400, code: 132000, message: 'Number of parameters does not match the expected number of params' };
  if (/[\n\t]| {5}/.test(String(given[0])))
    return { status: 400, code: 132018, message: 'Param text cannot have new-line/tab characters or many spaces' };
  return undefined;
}

export const parametersOf = ({ components }: NonNullable<SendRequest['template']>): string[] =>
  components.filter(({ type }) => type === 'body').flatMap(({ parameters }) => parameters.map(({ text }) => text));
