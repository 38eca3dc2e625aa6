import type { MessagingTemplate } from '@ops/contracts/resources/messaging-template';

/** What the provider takes as a parameter. */
export const longestParameter = 1024;

/** `name:language,name:language`; undefined when it is not that. */
export function parseTemplates(list: string): MessagingTemplate[] | undefined {
  const entries = list.split(',').map((entry) => /^\s*([a-z0-9_]+):([a-z]{2,3}(?:_[A-Za-z]{2,4})?)\s*$/.exec(entry));
  return entries.every((entry) => entry !== null)
    ? entries.map(([, name, language]) => ({ name: name as string, language: language as string }))
    : undefined;
}

/** The customer's language and region, else the language, else the first: a wrong language is better read than nothing. */
export function bestTemplate(
  templates: readonly MessagingTemplate[],
  locale: string | null,
): MessagingTemplate | undefined {
  const wanted = (locale ?? '').replaceAll('-', '_').toLowerCase();
  const language = wanted.split('_')[0];
  return (
    templates.find((one) => one.language.toLowerCase() === wanted) ??
    templates.find((one) => one.language.toLowerCase().split('_')[0] === language) ??
    templates[0]
  );
}

/** The one that was named, in the language that was named. */
export const sameTemplate = (templates: readonly MessagingTemplate[], { name, language }: MessagingTemplate) =>
  templates.find((one) => one.name === name && one.language === language);

/** A parameter holds no line breaks, tabs or runs of blanks; the words stay as they are. */
export const asParameter = (body: string): string => body.replace(/\s+/gu, ' ').trim();
