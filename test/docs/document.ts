import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';

export const root = join(import.meta.dirname, '../..');

/** A piece of a document, and where it stands. */
export interface Piece {
  text: string;
  line: number;
}

interface Fence extends Piece {
  language: string;
}

export interface MarkdownDocument {
  /** From the root of the checkout. */
  path: string;
  fences: Fence[];
  /** Between single backticks. */
  codes: Piece[];
  /** Links and images. */
  links: Piece[];
  headings: Piece[];
  /** What `#...` may name, as GitHub makes it of headings. */
  anchors: Set<string>;
}

const markdown = new MarkdownIt();

export function readDocument(path: string): MarkdownDocument {
  const tokens = markdown.parse(readFileSync(join(root, path), 'utf8'), {});
  const slugs = new GithubSlugger();
  const document: MarkdownDocument = { path, fences: [], codes: [], links: [], headings: [], anchors: new Set() };
  let line = 1;
  for (const [n, token] of tokens.entries()) {
    // What stands in a cell has the line of its row.
    if (token.map) line = token.map[0] + 1;
    if (token.type === 'fence') document.fences.push({ language: token.info.trim(), text: token.content, line });
    if (token.type !== 'inline') continue;
    const within = token.children ?? [];
    if (tokens[n - 1]?.type === 'heading_open') {
      document.headings.push({ text: shownText(within), line });
      document.anchors.add(slugs.slug(shownText(within)));
    }
    for (const child of within) {
      if (child.type === 'code_inline') document.codes.push({ text: child.content, line });
      const target = child.attrGet(child.type === 'image' ? 'src' : 'href');
      if (target !== null) document.links.push({ text: String(target), line });
    }
  }
  return document;
}

const shownText = (tokens: readonly { type: string; content: string }[]): string =>
  tokens
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
