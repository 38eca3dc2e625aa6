const mostBreaks = 3;
const mostQuoteMarks = 10;
const blanks = /[ \t\r\n\f\u00a0]+/g;

/**
 * Lines of text as they are written, one word after another. Line ends are owed until a word comes, so that none stand at
 * the ends; what leads (the mark of an item, the tab between two cells) stands right before the first word behind it.
 */
export class LineWriter {
  private readonly written: string[] = [];
  private breaks = 0;
  private blank = false;
  private lead: string | null = null;
  private quotes = 0;
  private quotesAbove = 0;
  /** The number of the line that the last word stands in. */
  line = 0;

  /** Grows with every word. */
  get length(): number {
    return this.written.length;
  }

  /** The number of the line that the next word stands in. */
  get nextLine(): number {
    return this.breaks > 0 || this.length === 0 ? this.line + 1 : this.line;
  }

  /** Owes as many line ends as that, at least; but what was led in stays behind its lead. */
  atLeast(breaks: number): void {
    if (this.lead === null) this.breaks = Math.max(this.breaks, breaks);
  }

  break(): void {
    this.breaks = Math.min(this.breaks + 1, mostBreaks);
  }

  begin(lead: string, breaks: number): void {
    this.breaks = breaks;
    this.blank = false;
    this.lead = lead;
  }

  /** What comes first stands here, without line ends of its own. */
  settle(): void {
    this.lead ??= '';
  }

  /** Nothing came. A mark that leads waits for what comes after, unless `marks` too are dropped. */
  dropLead(marks: boolean): void {
    if (marks || this.lead?.trim() === '') this.lead = null;
  }

  exactly(breaks: number): void {
    this.breaks = breaks;
  }

  quote(levels: 1 | -1): void {
    this.quotes += levels;
  }

  /** Words whose blanks, of whatever kind, stand for one. */
  flow(text: string): void {
    const words = text.replace(blanks, ' ');
    const isLast = words.endsWith(' ');
    this.blank ||= words.startsWith(' ');
    const inner = words.slice(words.startsWith(' ') ? 1 : 0, isLast ? -1 : undefined);
    if (inner === '') return;
    this.word(inner);
    this.blank = isLast;
  }

  /** Words as they stand, line by line. */
  verbatim(text: string): void {
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      if (index > 0) this.break();
      if (line !== '') this.word(line);
    }
  }

  /** Right behind the last word, whatever is owed. */
  append(text: string): void {
    this.written.push(text);
  }

  since(length: number): string {
    return this.written.slice(length).join('');
  }

  private word(word: string): void {
    if (this.nextLine > this.line) this.endLine();
    else if (this.blank && this.lead === null) this.written.push(' ');
    this.written.push(this.lead ?? '', word);
    this.lead = null;
    this.blank = false;
  }

  private endLine(): void {
    const quotes = Math.min(this.quotes, mostQuoteMarks);
    const between = '>'.repeat(Math.min(quotes, this.quotesAbove));
    if (this.length > 0) this.written.push('\n', `${between}\n`.repeat(this.breaks - 1));
    if (quotes > 0) this.written.push(`${'>'.repeat(quotes)} `);
    this.line++;
    this.quotesAbove = quotes;
    this.breaks = 0;
  }
}
