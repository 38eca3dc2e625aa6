import { answersOf } from './answers.rules.ts';
import { type Content, words } from './human-form.rules.ts';
import { type Fields, fields, text } from './untrusted.rules.ts';

/** What somebody chose, filled in or allowed, in the words they saw. Nothing when it does not say. */
export function interactiveOf(content: Fields): Content | undefined {
  if (content.button_reply !== undefined || content.list_reply !== undefined)
    return chosen(fields(content.button_reply ?? content.list_reply));
  if (content.nfm_reply !== undefined) return filledIn(fields(content.nfm_reply));
  if (content.call_permission_reply !== undefined || content.type === 'call_permission_reply')
    return words(callPermission(fields(content.call_permission_reply)));
  const { type: _, ...rest } = content;
  return said(answersOf(JSON.stringify(rest)));
}

const chosen = ({ title, description }: Fields) => words(text(title), text(description));

function filledIn({ body, response_json }: Fields): Content | undefined {
  const answers = answersOf(text(response_json) ?? JSON.stringify(response_json ?? {}));
  return said({ ...answers, body: [text(body), answers.body].filter(Boolean).join('\n') });
}

function callPermission({ response, expiration_timestamp }: Fields): string {
  if (response === undefined) return 'Answered whether we may call; the answer is missing';
  if (response !== 'accept') return 'Does not allow us to call';
  const end = new Date(Number(text(expiration_timestamp) ?? Number.NaN) * 1000);
  if (Number.isNaN(end.getTime())) return 'Allowed us to call';
  return `Allowed us to call until ${end.toISOString().replace(/:\d\d\.\d+Z$/, 'Z')}`;
}

const said = (content: Content): Content | undefined =>
  content.body === '' && content.parts.length === 0 ? undefined : content;
