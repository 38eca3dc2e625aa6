import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { textOfHtml } from './text-of-html.rules.ts';

describe('where the words stand', () => {
  test.each([
    ['New words<br><html><body>Old quote</body></html>After', 'New words\nOld quote\nAfter'],
    ['<head>Odd<title>Subject</title><style>p{}</style></head><body>Hello</body>', 'Odd\nHello'],
    ['<html><body><p>One</p></body></html><html><body><p>Two</p></body></html>', 'One\n\nTwo'],
    ['<title>Never closed, so shown', 'Never closed, so shown'],
    ['<p>Hello<script>x</script> Ada<!-- no --></p>', 'Hello Ada'],
    ['a < b &amp; c&nbsp;&gt; d &#128512; &unknown;', 'a < b & c > d 😀 &unknown;'],
  ])('%s', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

describe('lines', () => {
  test.each([
    ['<div>One</div><div><br></div><div>Two<br>Three</div>', 'One\n\nTwo\nThree'],
    ['<p>One<br></p><p>Two</p>', 'One\n\nTwo'],
    ['<p class=MsoNormal>One<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p>Two</p>', 'One\n\nTwo'],
    ['<pre>a\n  b</pre>c', 'a\n  b\n\nc'],
    ['One<br><br><br><br><br><br>Two', 'One\n\n\nTwo'],
    ['<h1>Head</h1>  Text\n on', 'Head\n\nText on'],
    [
      '<ul><li>One</li><li><p>Two</p><ol start=3><li>Three<li>Four</ol></li></ul>End',
      '* One\n* Two\n  3. Three\n  4. Four\n\nEnd',
    ],
    ['Above<hr>Below', `Above\n${'-'.repeat(40)}\nBelow`],
  ])('%s', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

describe('tables', () => {
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

  test.each([
    [`<table>${row('Passport', 'X1')}${row('Until', '2027')}</table>`, 'Passport\tX1\nUntil\t2027'],
    [
      `<table>${row('<p>Passport</p>', '<p>X1</p>')}${row('<p>Until</p>', '<p>2027</p>')}</table>`,
      'Passport\tX1\nUntil\t2027',
    ],
    ['<table><tr><th>A<th>B<tr><td>1<td>2</table>', 'A\tB\n1\t2'],
    [`<table>${row('', 'Hello', '&nbsp;', 'Ada')}</table>`, 'Hello\tAda'],
    [`<table>${row('<p>One</p><p>Two</p>', 'Three')}</table>`, 'One\n\nTwo\n\nThree'],
    [`<table>${row(`<table>${row('A', 'B')}${row('C', 'D')}</table>`, 'E')}</table>`, 'A\tB\nC\tD\nE'],
    [`Hello${`<table>${row('STOP')}</table>`}`, 'Hello\nSTOP'],
    ['<td>A</td><td>B</td>', 'A\tB'],
  ])('%s', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

describe('quotes', () => {
  test('are marked as in text', () => {
    const html = 'New<blockquote type=cite><p>Old</p><p>More</p><blockquote>Older</blockquote></blockquote>Newer';
    expect(textOfHtml(html)).toBe('New\n\n> Old\n>\n> More\n>\n>> Older\n\nNewer');
  });

  test('are none where a writer only moved words to the right', () => {
    const html = 'New<blockquote style="margin: 0 0 0 40px; border: none; padding: 0">Moved</blockquote>';
    expect(textOfHtml(html)).toBe('New\n\nMoved');
  });
});

describe('links and pictures', () => {
  test.each([
    ['See <a href="https://example.com/a">this</a>.', 'See this <https://example.com/a>.'],
    ['<a href="https://example.com/">example.com</a>', 'example.com'],
    [
      '<a href="https://www.example.com/a?b=1&amp;c">https://www.example.com/a?b=1&c</a>',
      'https://www.example.com/a?b=1&c',
    ],
    ['<a href="https://evil.example/">https://bank.example/</a>', 'https://bank.example/ <https://evil.example/>'],
    ['<a href="mailto:ada@example.com?subject=x">ada@example.com</a>', 'ada@example.com'],
    ['<a href="tel:+491701234567">+49 170 1234567</a>', '+49 170 1234567'],
    ['<a href="#top">Up</a> <a>none</a> <a href="javascript:x()">run</a>', 'Up none run'],
    [
      '<a href="https://a.example/">one <a href="https://b.example/">two',
      'one <https://a.example/> two <https://b.example/>',
    ],
    ['<a href="https://a.example/pay"><img src=x></a>', '<https://a.example/pay>'],
    ['<img alt="Our logo"> <img alt="😀"><img alt=""><img>', '[Our logo] 😀'],
  ])('%s', (html, text) => {
    expect(textOfHtml(html)).toBe(text);
  });
});

describe('what is hidden', () => {
  test.each([
    'display:none',
    'DISPLAY : none !important; color: red',
    'visibility: hidden',
    'font-size:0px;line-height:0',
    'opacity:0',
    'max-height:0;overflow:hidden',
    'mso-hide:all;display:none',
  ])('a line before the mail, by %s', (style) => {
    expect(textOfHtml(`<div style="${style}">Preview <div>of</div> it</div><p>Hello</p>`)).toBe('Hello');
    expect(textOfHtml(`<table><tr><td style="${style}">Preview</td><td>Hello</td></tr></table>`)).toBe('Hello');
    expect(textOfHtml(`<p style="${style}">Preview<p>Hello`)).toBe('Hello');
  });

  test.each(['font-size:10px', 'opacity:0.9', 'mso-hide:all', 'max-height:0', 'display:block', 'color:none'])(
    'not what %s only changes',
    (style) => {
      expect(textOfHtml(`<div style="${style}">Shown</div>`)).toBe('Shown');
    },
  );

  test('not what is larger again within nothing, as newsletters are made; nor pictures and links there', () => {
    const shown = ['style="font-size:13px"', 'style="font:13px Arial"', 'class="text"'];
    for (const how of shown)
      expect(textOfHtml(`<td style="font-size:0px"><div style="font-size:0"><p ${how}>Hello</p></div></td>`)).toBe(
        'Hello',
      );
    const picture = '<div style="font-size:0"><a href="https://firm.example/pay"><img alt="Pay"></a></div>';
    expect(textOfHtml(picture)).toBe('[Pay] <https://firm.example/pay>');
  });

  test('nor all there is', () => {
    expect(textOfHtml('<div style="display:none">Hello</div><p> </p>')).toBe('Hello');
  });

  test('nor what nobody ends: in doubt it is shown', () => {
    expect(textOfHtml('Hello<div style="display:none">and all the rest')).toBe('Hello\nand all the rest');
    expect(textOfHtml('<td><span hidden>Preview</td><td>Hello</td>')).toBe('Hello');
  });
});

interface Tree {
  tag: string;
  children: (Tree | string)[];
}

const word = fc.stringMatching(/^[a-z]{4,9}$/);
const tags = [
  'p',
  'div',
  'b',
  'span',
  'table',
  'tr',
  'td',
  'ul',
  'li',
  'blockquote',
  'a',
  'html',
  'body',
  'head',
  'h2',
  'pre',
];
const { tree } = fc.letrec<{ tree: Tree; child: Tree | string }>((tie) => ({
  tree: fc.record({ tag: fc.constantFrom(...tags), children: fc.array(tie('child'), { maxLength: 5 }) }),
  child: fc.oneof({ maxDepth: 5 }, word, tie('tree')),
}));
const wordsIn = ({ children }: Tree): string[] =>
  children.flatMap((child) => (typeof child === 'string' ? child : wordsIn(child)));
const htmlOf = ({ tag, children }: Tree, open: boolean): string =>
  `<${tag}>${children.map((child) => (typeof child === 'string' ? ` ${child} ` : htmlOf(child, open))).join('')}${open ? '' : `</${tag}>`}`;

test('no word that is shown is lost or moved, whatever tags stand about it, closed or open', () => {
  fc.assert(
    fc.property(tree, fc.boolean(), (given, open) => {
      expect(textOfHtml(htmlOf(given, open))?.match(/[a-z]{4,}/g) ?? []).toEqual(wordsIn(given));
    }),
    { numRuns: 500 },
  );
});

test.each([
  '<div>',
  '<table><tr><td>',
  '<blockquote>a',
  '<a href=x>',
  '<p hidden>',
  '</b>',
  '<ul><li>',
  '<div hidden><p></b>',
  '&amp',
  '<!--',
  '<',
])('half a megabyte of %s is read to its end', (piece) => {
  const html = `${piece.repeat(500_000 / piece.length)} --><p>The end`;
  expect(textOfHtml(html)?.slice(-7)).toBe('The end');
});

test('what goes beyond reason says so, but pictures within the markup do not count', () => {
  expect(textOfHtml('word '.repeat(500_000)).slice(-32)).toMatch(/\n\n\[The rest stands in the HTML\.\]$/);
  expect(textOfHtml(`<img src="data:image/png;base64,${'A'.repeat(20_000_000)}">The end`)).toBe('The end');
});
