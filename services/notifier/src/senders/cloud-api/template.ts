/** An approved template of the account, with one parameter in its body. */
export interface Template {
  name: string;
  /** As the provider writes it: `en`, `pt_BR`. */
  language: string;
}

/** What the provider takes as a parameter. */
export const longestParameter = 1024;

/** `name:language,name:language`; undefined when it is not that. */
export function parseTemplates(list: string): Template[] | undefined {
  const entries = list.split(',').map((entry) => /^\s*([a-z0-9_]+):([a-z]{2,3}(?:_[A-Za-z]{2,4})?)\s*$/.exec(entry));
  return entries.every((entry) => entry !== null)
    ? entries.map(([, name, language]) => ({ name: name as string, language: language as string }))
    : undefined;
}

/** The customer's language and region, else the language, else the first: a wrong language is better read than nothing. */
export function bestTemplate(templates: readonly Template[], locale: string | null): Template | undefined {
  const wanted = (locale ?? '').replaceAll('-', '_').toLowerCase();
  const language = wanted.split('_')[0];
  return (
    templates.find((one) => one.language.toLowerCase() === wanted) ??
    templates.find((one) => one.language.toLowerCase().split('_')[0] === language) ??
    templates[0]
  );
}

/** A parameter holds no line breaks, tabs or runs of blanks; the words stay as they are. */
export const asParameter = (body: string): string => body.replace(/\s+/gu, ' ').trim();
