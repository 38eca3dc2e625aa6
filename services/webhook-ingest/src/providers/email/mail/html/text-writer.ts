import { Hiding, isHidden, type Tag } from './hidden.rules.ts';
import { LineWriter } from './line-writer.ts';
import { placeBehind } from './link.rules.ts';

const namesIn = (names: string): Set<string> => new Set(names.split(' '));
const paragraphs = namesIn('p h1 h2 h3 h4 h5 h6 pre xmp listing plaintext blockquote dl');
const blocks = namesIn(
  'address article aside body caption center dd details dialog div dt fieldset figcaption figure footer form head header hgroup hr html legend li main menu nav ol optgroup option section summary table tbody td tfoot th thead tr ul',
);
const isBlock = (name: string): boolean => paragraphs.has(name) || blocks.has(name);
const verbatim = namesIn('pre xmp listing plaintext textarea');
const empty = namesIn('area base br col embed hr img input link meta param source track wbr');
/** Never shown, unlike what is hidden where nobody ends it. */
const code = namesIn('script style');
const unseen = namesIn('title template');

const rule = '-'.repeat(40);
const deepestIndent = 10;

interface Row {
  /** How much was written when it began, and in which line its first word stands. */
  length: number;
  line: number;
  /** Whether its cells stand in one line so far. */
  isLine: boolean;
}

interface List {
  number: number | null;
  items: number;
}

/** Writes down what the tags of a mail show. */
export class TextWriter {
  private readonly hides: boolean;
  private readonly lines = new LineWriter();
  private readonly rows: Row[] = [{ length: 0, line: 1, isLine: false }];
  private readonly lists: List[] = [];
  /** Of each blockquote, whether it quotes. */
  private readonly quotes: boolean[] = [];
  private link: { href: string; length: number } | null = null;
  private hiding: Hiding | null = null;
  private code = false;
  private verbatim = 0;

  constructor(hides: boolean) {
    this.hides = hides;
  }

  get isHiding(): boolean {
    return this.hiding !== null;
  }

  text(text: string): void {
    if (this.hiding !== null || this.code) return;
    if (this.verbatim > 0) this.lines.verbatim(text);
    else this.lines.flow(text);
  }

  open(tag: Tag): void {
    const { name } = tag;
    if (this.hiding?.endsAtOpening(tag, isBlock(name)) === false) return;
    this.hiding = null;
    if (this.hides && !empty.has(name) && (unseen.has(name) || isHidden(tag))) this.hiding = new Hiding(tag);
    else if (code.has(name)) this.code = true;
    else this.show(tag);
  }

  close(name: string): void {
    this.code = false;
    if (this.hiding !== null) {
      if (this.hiding.endsAtClosing(name, isBlock(name))) this.hiding = null;
      else return;
    }
    this.closers.get(name)?.();
    if (verbatim.has(name)) this.verbatim = Math.max(this.verbatim - 1, 0);
    this.part(name);
  }

  end(): string {
    this.endLink();
    return this.lines.since(0);
  }

  private part(name: string): void {
    if (name === 'ul' || name === 'ol') this.lines.atLeast(this.lists.length === 0 ? 2 : 1);
    else if (name !== 'td' && name !== 'th') this.lines.atLeast(paragraphs.has(name) ? 2 : blocks.has(name) ? 1 : 0);
  }

  private show(tag: Tag): void {
    this.part(tag.name);
    if (verbatim.has(tag.name)) this.verbatim++;
    this.openers.get(tag.name)?.(tag);
  }

  private readonly openers = handlers<(tag: Tag) => void>({
    br: () => this.lines.break(),
    hr: () => {
      this.lines.flow(rule);
      this.lines.atLeast(1);
    },
    table: () => this.rows.push(this.newRow()),
    tr: () => this.nextRow(),
    td: () => this.cell(),
    th: () => this.cell(),
    ul: () => this.lists.push({ number: null, items: 0 }),
    ol: ({ attributes }) =>
      this.lists.push({ number: Number.parseInt(attributes.get('start') ?? '', 10) || 1, items: 0 }),
    li: () => this.item(),
    blockquote: (tag) => this.quote(tag),
    a: ({ attributes }) => {
      this.endLink();
      this.link = { href: attributes.get('href') ?? '', length: this.lines.length };
    },
    img: ({ attributes }) => this.picture(attributes.get('alt')?.trim() ?? ''),
  });

  private readonly closers = handlers<() => void>({
    br: () => this.lines.break(),
    table: () => {
      this.nextRow();
      if (this.rows.length > 1) this.rows.pop();
    },
    tr: () => this.nextRow(),
    ul: () => this.lists.pop(),
    ol: () => this.lists.pop(),
    li: () => this.lines.dropLead(true),
    blockquote: () => {
      if (this.quotes.pop()) this.lines.quote(-1);
    },
    a: () => this.endLink(),
  });

  private newRow(): Row {
    return { length: this.lines.length, line: this.lines.nextLine, isLine: false };
  }

  private nextRow(): void {
    this.lines.dropLead(false);
    if (this.rows.at(-1)?.isLine) this.lines.exactly(1);
    else this.lines.atLeast(1);
    this.rows[this.rows.length - 1] = this.newRow();
  }

  /** Cells of one line each stand in one line, as browsers copy them; what has lines of its own stands by itself. */
  private cell(): void {
    const row = this.rows.at(-1) ?? this.newRow();
    const isFirst = this.lines.length === row.length;
    row.isLine = !isFirst && this.lines.line === row.line;
    if (row.isLine) this.lines.begin('\t', 0);
    else this.lines.dropLead(false);
    this.lines.atLeast(isFirst ? 0 : 1);
    this.lines.settle();
  }

  private item(): void {
    const list = this.lists.at(-1) ?? { number: null, items: 1 };
    const mark = list.number === null ? '* ' : `${list.number + list.items}. `;
    const indent = '  '.repeat(Math.min(Math.max(this.lists.length - 1, 0), deepestIndent));
    this.lines.begin(indent + mark, list.items === 0 && this.lists.length === 1 ? 2 : 1);
    list.items++;
  }

  /** Without a border it only moves words to the right, unless it says that it quotes. */
  private quote({ attributes }: Tag): void {
    const moves = /\bborder\s*:\s*(?:none|0)/i.test(attributes.get('style') ?? '') && attributes.get('type') !== 'cite';
    if (!moves) this.lines.quote(1);
    this.quotes.push(!moves);
  }

  /** A picture that is a letter, as smileys are, stands among letters; another's words are told apart. */
  private picture(words: string): void {
    this.lines.flow(/[\p{L}\p{N}]/u.test(words) ? `[${words}]` : words);
  }

  private endLink(): void {
    if (this.link === null) return;
    const { href, length } = this.link;
    this.link = null;
    const words = this.lines.since(length);
    const place = placeBehind(words, href);
    if (place === null) return;
    if (words.trim() === '') this.lines.flow(`<${place}>`);
    else this.lines.append(` <${place}>`);
  }
}

/** By tag; whatever a mail calls its tags, none finds what every object has. */
const handlers = <T>(byTag: Record<string, T>): ReadonlyMap<string, T> => new Map(Object.entries(byTag));
