import { textOfHtml } from './html/text-of-html.rules.ts';

/** What a person reads of a mail: its text, or its HTML where the text says nothing. */
export function readableText(plain: string | null | undefined, html: string | null | undefined): string | null {
  const text = plain?.trim() ? plain : null;
  if (!html || (text !== null && !mayBeExcuse(text))) return text;
  const read = textOfHtml(html);
  return text !== null && (read.trim() === '' || sharesWords(text, read)) ? text : read;
}

const longestExcuse = 400;
/** "Your program cannot show HTML", in whatever language. */
const mayBeExcuse = (text: string): boolean => text.length <= longestExcuse && /\bhtml\b/i.test(text);

function sharesWords(text: string, read: string): boolean {
  const words = text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const shown = read.toLowerCase();
  return words.filter((word) => shown.includes(word)).length * 4 > words.length;
}
