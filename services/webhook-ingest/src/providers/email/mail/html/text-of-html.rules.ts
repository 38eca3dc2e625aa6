import { readTags } from './tag-reader.ts';
import { TextWriter } from './text-writer.ts';

/** The worst of it takes half a second; the HTML itself is kept whole beside the text. */
const mostCharacters = 2 * 1024 * 1024;
const cut = '\n\n[The rest stands in the HTML.]';
/** A picture within the markup is longer. */
const shortestData = 100;

/**
 * What a person reads of HTML, in the order in which it is written, in `body` or out of it. Tag by tag, without a tree:
 * mails are rarely well formed, and a tree takes minutes over tags that nobody closes. What is hidden is left out only
 * if it surely is, and never all there is.
 */
export function textOfHtml(html: string): string {
  const whole = withoutData(html);
  const given = whole.slice(0, mostCharacters);
  const text = written(given, true) || written(given, false) || '';
  return given === whole ? text : text + cut;
}

/** Without pictures within the markup, which are most of it then. One expression for all of it fails at some millions of characters. */
function withoutData(html: string): string {
  const end = /[\s"'<>]/g;
  let kept = '';
  let from = 0;
  for (const { index } of html.matchAll(/\bdata:/gi)) {
    if (index < from) continue;
    end.lastIndex = index;
    const until = end.exec(html)?.index ?? html.length;
    if (until - index < shortestData) continue;
    kept += html.slice(from, index);
    from = until;
  }
  return kept + html.slice(from);
}

/** Null if something hidden never ends, which may be all that follows. */
function written(html: string, hides: boolean): string | null {
  const writer = new TextWriter(hides);
  readTags(html, writer);
  return writer.isHiding ? null : writer.end();
}
