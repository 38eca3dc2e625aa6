import { type Field, fieldsOf, type Structured, structured, wordOf } from './fields.rules.ts';

/** A part of a mail, and the mail itself: a head, and what it holds as it travelled. */
export interface MimePart {
  fields: Field[];
  type: Structured;
  parts: MimePart[];
  travelled: Buffer;
}

/** Far beyond what mail programs write. */
const mostDepth = 50;
const mostParts = 10_000;
const mostHeadBytes = 512 * 1024;

const lineFeed = 10;
const dash = 45;

/** In one walk over its lines, without copies. Throws at what goes beyond reason. */
export function partsOf(bytes: Buffer): MimePart {
  const walk = new Walk(bytes);
  let start = 0;
  while (start < bytes.length) {
    const found = bytes.indexOf(lineFeed, start);
    const next = found < 0 ? bytes.length : found + 1;
    walk.line(start, next);
    start = next;
  }
  return walk.end();
}

interface Multipart {
  part: MimePart;
  boundary: string;
}

class Walk {
  private readonly bytes: Buffer;
  private readonly root = emptyPart();
  /** The outermost first. They stay open after their last line, since some programs write on. */
  private readonly open: Multipart[] = [];
  private part = this.root;
  private start = 0;
  private inHead = true;
  private digest = false;
  private headBytes = 0;
  private parts = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  line(start: number, next: number): void {
    if (this.bytes[start] === dash && this.bytes[start + 1] === dash && this.isBoundary(start, next)) return;
    if (this.inHead && this.isBlank(start, next)) this.endHead(start, next);
  }

  end(): MimePart {
    this.endPart(this.bytes.length);
    return this.root;
  }

  private isBlank(start: number, next: number): boolean {
    let at = start;
    while (this.bytes[at] === 13) at++;
    return at < next && this.bytes[at] === lineFeed;
  }

  private isBoundary(start: number, next: number): boolean {
    if (this.open.length === 0) return false;
    const line = this.bytes.toString('latin1', start + 2, next);
    const at = this.open.findLastIndex(
      ({ boundary }) => line.startsWith(boundary) && /^(?:--)?\s*$/.test(line.slice(boundary.length)),
    );
    const multipart = this.open[at];
    if (multipart === undefined) return false;
    this.endPart(start);
    this.open.length = at + 1;
    const isLast = line.startsWith('--', multipart.boundary.length);
    this.part = emptyPart();
    this.start = next;
    this.inHead = !isLast;
    if (!isLast) this.begin(multipart.part);
    return true;
  }

  private begin(within: MimePart): void {
    if (++this.parts > mostParts) throw new Error('The mail has too many parts');
    within.parts.push(this.part);
    this.digest = within.type.value === 'multipart/digest';
  }

  private endHead(end: number, next: number): void {
    this.headBytes += end - this.start;
    if (this.headBytes > mostHeadBytes) throw new Error('The mail has too many headers');
    this.part.fields = fieldsOf(this.bytes.toString('latin1', this.start, end));
    this.part.type = typeOf(this.part.fields, this.digest);
    this.inHead = false;
    this.start = next;
    const boundary = wordOf(this.part.type, 'boundary');
    if (boundary === undefined || !this.part.type.value.startsWith('multipart/')) return;
    this.open.push({ part: this.part, boundary });
    if (this.open.length > mostDepth) throw new Error('The mail is nested too deep');
  }

  /** The line break before a boundary belongs to the boundary. */
  private endPart(end: number): void {
    if (this.inHead) this.endHead(end, end);
    let last = end;
    if (end < this.bytes.length && last > this.start) last--;
    if (end < this.bytes.length && last > this.start && this.bytes[last - 1] === 13) last--;
    this.part.travelled = this.bytes.subarray(this.start, last);
  }
}

const emptyPart = (): MimePart => ({ fields: [], type: structured(''), parts: [], travelled: Buffer.alloc(0) });

/** What is no type is taken for text, as mail without one is. */
function typeOf(fields: readonly Field[], inDigest: boolean): Structured {
  const type = structured(fieldIn(fields, 'content-type') ?? '');
  return type.value.includes('/') ? type : { ...type, value: inDigest ? 'message/rfc822' : 'text/plain' };
}

export const fieldIn = (fields: readonly Field[], key: string): string | undefined =>
  fields.find((field) => field.key === key)?.value;
