import { z } from 'zod';
import { text } from '../text.ts';

const language = { description: 'As the provider writes it: `en`, `pt_BR`' };

/** What the messaging app approved for writing to customers who have been silent for a day; it takes one text. */
export const messagingTemplate = z
  .object({ name: z.string(), language: z.string().meta(language) })
  .meta({ id: 'MessagingTemplate' });
export type MessagingTemplate = z.infer<typeof messagingTemplate>;

export const messagingTemplateList = z
  .object({ data: z.array(messagingTemplate) })
  .meta({ id: 'MessagingTemplateList' });

/** An approved template, named by whoever writes the message. */
export const chooseTemplate = z
  .strictObject({ name: text(1, 512), language: text(1, 16).meta(language) })
  .meta({ id: 'ChooseMessagingTemplate' });
