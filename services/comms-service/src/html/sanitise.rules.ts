import sanitizeHtml, { type Attributes, type Tag } from 'sanitize-html';
import { safeStyle } from './safe-style.rules.ts';

/** Where an embedded image is found, by its content id; undefined if the mail has no such part. */
export type CidUrl = (contentId: string) => string | undefined;

/**
 * Sent with every sanitised mail, should the sanitiser ever be wrong: nothing runs, nothing is fetched from elsewhere,
 * nothing is sent. `allow-same-origin` without scripts gives the mail nothing; without it the browser would not send
 * its cookie for the images.
 */
export const MAIL_CSP = [
  "default-src 'none'",
  "img-src 'self' data:",
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
].join('; ');

/**
 * What is shown of a mail; its text is in the record. The parser looks through all open elements at each tag, so that
 * nothing but their number holds off a mail made to stop us: 300,000 open and as many closing tags take two minutes,
 * 40,000 half a second.
 */
const MOST_CHARACTERS = 2 ** 21;
/** No character takes more than four. */
export const mostBytesShown = 4 * MOST_CHARACTERS + 1;
const MOST_TAGS = 40_000;
const CUT = 'This message goes on; only its beginning is shown here.';

/** Browsers stop at 512 levels; what lies deeper keeps its text. */
const DEEPEST = 200;

const TEXT =
  'a abbr b bdi bdo big blockquote br center cite code dd del dfn div dl dt em font h1 h2 h3 h4 h5 h6 hr i img';
const MORE = 'ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub sup time tt u ul var wbr';
const TABLES = 'caption col colgroup table tbody td tfoot th thead tr';
const TAGS = [TEXT, MORE, TABLES].flatMap((names) => names.split(' '));

/** Their content is not text to read. */
const DROPPED_WHOLE =
  'script style title textarea option noscript noembed noframes iframe template svg math object applet audio video canvas xmp';

const DECORATION = 'align valign bgcolor color face size width height border cellpadding cellspacing colspan rowspan';
const MEANING = 'dir lang title alt start type';
const PLAIN = new Set([DECORATION, MEANING].flatMap((names) => names.split(' ')));
const PLAIN_VALUE = /^[^\p{Cc}]{0,1000}$/u;

const SCHEMES = ['http:', 'https:', 'mailto:', 'tel:'];
const DATA_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z\d+/]+={0,2}$/i;

/**
 * The HTML part of a mail as a document that can be shown: no script, no form, nothing fetched from anywhere but the
 * mail itself, so that reading it tells its sender nothing. What is allowed is listed; all else goes.
 */
export function sanitise(html: string, cidUrl: CidUrl): string {
  const { kept, isCut } = withinReason(html);
  const body = sanitizeHtml(kept, {
    allowedTags: TAGS,
    nonTextTags: DROPPED_WHOLE.split(' '),
    nestingLimit: DEEPEST,
    allowedAttributes: false,
    parseStyleAttributes: false,
    allowedSchemes: SCHEMES.map((scheme) => scheme.slice(0, -1)),
    allowedSchemesByTag: { img: ['data'] },
    transformTags: Object.fromEntries(TAGS.map((tag) => [tag, safeTag(cidUrl)])),
  });
  return pageAround(isCut ? `${body}\n<p><em>${CUT}</em></p>` : body);
}

function withinReason(html: string): { kept: string; isCut: boolean } {
  let end = -1;
  for (let tags = 0; tags <= MOST_TAGS; tags++) {
    end = html.indexOf('<', end + 1);
    if (end < 0) break;
  }
  const kept = html.slice(0, Math.min(MOST_CHARACTERS, end < 0 ? html.length : end));
  return { kept: kept.replaceAll('\0', '\uFFFD'), isCut: kept.length < html.length };
}

export const pageAround = (body: string): string => `<!doctype html>
<html><head>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title></title>
<style>body { font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere } img { max-width: 100%; height: auto }</style>
</head><body>
${body}
</body></html>
`;

const safeTag =
  (cidUrl: CidUrl) =>
  (tagName: string, given: Attributes): Tag => {
    if (tagName === 'img') return image(given, cidUrl);
    return { tagName, attribs: tagName === 'a' ? { ...plain(given), ...link(given.href) } : plain(given) };
  };

function plain(given: Attributes): Attributes {
  const kept = Object.entries(given).filter(([name, value]) => PLAIN.has(name) && PLAIN_VALUE.test(value));
  const style = safeStyle(given.style ?? '');
  return { ...Object.fromEntries(kept), ...(style && { style }) };
}

/** The address is written anew, and without the name before an `@` that makes it look like another. */
function link(href: string | undefined): Attributes {
  const url = href && URL.parse(href.trim());
  if (!url || !SCHEMES.includes(url.protocol)) return {};
  url.username = '';
  url.password = '';
  return { href: url.href, target: '_blank', rel: 'noopener noreferrer nofollow' };
}

/** An image of the mail itself; in place of one that would be fetched, what it is said to show. */
function image(given: Attributes, cidUrl: CidUrl): Tag {
  const src = sourceOf(given.src?.trim() ?? '', cidUrl);
  if (src) return { tagName: 'img', attribs: { ...plain(given), src } };
  return { tagName: 'span', text: given.alt ?? '', attribs: {} };
}

function sourceOf(src: string, cidUrl: CidUrl): string | undefined {
  if (/^cid:/i.test(src)) return cidUrl(decoded(src.slice(4)).replace(/^<|>$/g, ''));
  return DATA_IMAGE.test(src) ? src : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
