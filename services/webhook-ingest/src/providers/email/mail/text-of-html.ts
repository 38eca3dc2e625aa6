import { convert, type HtmlToTextOptions } from 'html-to-text';

const mostCharacters = 2 ** 20;
/** The parser looks through all open elements at each tag: a mail made of tags alone would take minutes. */
const mostTags = 20_000;

const options: HtmlToTextOptions = {
  wordwrap: false,
  limits: { maxInputLength: mostCharacters, maxDepth: 100, ellipsis: '' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, ignoreHref: false, linkBrackets: ['<', '>'] } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'table', options: { uppercaseHeaderCells: false } },
  ],
};

/** What a person reads of it. The HTML itself is kept beside it, so what is beyond reason may stay there. */
export function textOfHtml(html: string): string | null {
  try {
    return convert(withinReason(html), options);
  } catch {
    return null;
  }
}

function withinReason(html: string): string {
  let end = -1;
  for (let tags = 0; tags <= mostTags; tags++) {
    end = html.indexOf('<', end + 1);
    if (end < 0) return html;
  }
  return html.slice(0, end);
}
