import type { MessagingTemplate } from '@ops/contracts/resources/messaging-template';
import { type FileToSend, type Outcome, type OutgoingMessage, refused } from '../sender.ts';
import { asParameter, bestTemplate, longestParameter, sameTemplate } from './template.rules.ts';

/** What a message becomes: the part of the payload that is its own, and the file to upload first. */
export type Content = { payload: object } | { file: FileToSend; payload: (mediaId: string) => object };

const longestText = 4096;
const longestCaption = 1024;

/** Free text in the 24 hours after the customer wrote; an approved template outside them. */
export function contentOf(
  message: OutgoingMessage,
  templates: readonly MessagingTemplate[],
  now: Date,
): Content | Outcome {
  const open = message.window_open_until !== null && Date.parse(message.window_open_until) > now.getTime();
  if (!open) return templateContent(message, templates);
  const [file, ...others] = message.attachments;
  if (others.length > 0) return refused('one_file_only', 'The messaging app takes one file with a message');
  return file ? fileContent(message, file) : textContent(message);
}

function textContent({ body, thread }: OutgoingMessage): Content | Outcome {
  if (body.length > longestText) return tooLong(longestText);
  return { payload: { type: 'text', text: { body, preview_url: false }, ...answering(thread.external_id) } };
}

function fileContent({ body, thread }: OutgoingMessage, file: FileToSend): Content | Outcome {
  if (body.length > longestCaption) return tooLong(longestCaption, ' beside a file');
  const type = kindOf(file);
  const named = type === 'document' ? { filename: file.name } : {};
  const payload = (id: string) => ({
    type,
    [type]: { id, ...(body !== '' && { caption: body }), ...named },
    ...answering(thread.external_id),
  });
  return { file, payload };
}

function templateContent(
  { body, attachments, locale, template: chosen }: OutgoingMessage,
  templates: readonly MessagingTemplate[],
) {
  const template = chosen ? sameTemplate(templates, chosen) : bestTemplate(templates, locale);
  if (chosen && !template) return templateUnknown(chosen);
  if (!template)
    return refused('template_required', 'The customer wrote over 24 hours ago, and no approved template is configured');
  if (attachments.length > 0)
    return refused('template_required', 'The customer wrote over 24 hours ago: a template takes no file');
  const text = asParameter(body);
  if (text.length > longestParameter)
    return refused('template_text_too_long', `A template takes ${longestParameter} characters at most`);
  const components = [{ type: 'body', parameters: [{ type: 'text', text }] }];
  return {
    payload: {
      type: 'template',
      template: { name: template.name, language: { code: template.language }, components },
    },
  };
}

/**
 * A chosen template is replaced by no other, which would say something else around the words: whoever chose it decides.
 */
const templateUnknown = ({ name, language }: MessagingTemplate) =>
  refused(
    'template_unknown',
    `The template chosen for it is not configured; write it again and choose another: ${name}, ${language}`,
  );

const answering = (external_id: string | null) => (external_id ? { context: { message_id: external_id } } : {});

const tooLong = (most: number, where = '') =>
  refused('text_too_long', `The messaging app takes ${most} characters at most${where}`);

const MiB = 1024 * 1024;

/** What the app shows by itself. A recording takes no words beside it, so it goes as a document, as does all else. */
const shown: Record<string, { type: 'image' | 'video'; mostBytes: number }> = {
  'image/jpeg': { type: 'image', mostBytes: 5 * MiB },
  'image/png': { type: 'image', mostBytes: 5 * MiB },
  'video/mp4': { type: 'video', mostBytes: 16 * MiB },
  'video/3gpp': { type: 'video', mostBytes: 16 * MiB },
};

function kindOf({ media_type, content }: FileToSend): 'image' | 'video' | 'document' {
  const kind = Object.hasOwn(shown, media_type) ? shown[media_type] : undefined;
  return kind && content.length <= kind.mostBytes ? kind.type : 'document';
}
