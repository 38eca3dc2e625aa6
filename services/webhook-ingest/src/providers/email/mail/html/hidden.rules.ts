/** A tag with its attributes, both in lower case; values as they are written. */
export interface Tag {
  name: string;
  attributes: ReadonlyMap<string, string>;
}

/** Where a mail surely hides what stands within, as in the line that lists of mails show before it is opened. */
export function isHidden(tag: Tag): boolean {
  const { attributes } = tag;
  if (attributes.has('hidden') || isShrunk(tag)) return true;
  const style = attributes.get('style');
  if (style === undefined) return false;
  const clipped = /(?:^|;)\s*overflow(?:-y)?\s*:\s*hidden\b/i.test(style);
  return (clipped ? [...hiding, folding] : hiding).some((pattern) => pattern.test(style));
}

const folding = /(?:^|;)\s*(?:max-)?height\s*:\s*0(?:\.0*)?(?:px|pt|em|%)?\s*(?:!|;|$)/i;
const hiding = [
  /(?:^|;)\s*display\s*:\s*none\b/i,
  /(?:^|;)\s*visibility\s*:\s*hidden\b/i,
  /(?:^|;)\s*opacity\s*:\s*0(?:\.0*)?(?:px|pt|em|%)?\s*(?:!|;|$)/i,
];

const shrinking = /(?:^|;)\s*font-size\s*:\s*0(?:\.0*)?(?:px|pt|em|%)?\s*(?:!|;|$)/i;
const isShrunk = ({ attributes }: Tag): boolean => shrinking.test(attributes.get('style') ?? '');

/**
 * Programs that make newsletters set letters to nothing around everything, against the gaps between cells, and to their size
 * again further in. A class may do that as well; pictures have no letters, and a link may hold one.
 */
const mayGrow = (tag: Tag): boolean =>
  ['a', 'img', 'font'].includes(tag.name) ||
  tag.attributes.has('class') ||
  (/(?:^|;)\s*font(?:-size)?\s*:/i.test(tag.attributes.get('style') ?? '') && !isShrunk(tag));

/** Opening one of these ends another of its row that is still open. */
const rows = [['td', 'th', 'tr', 'tbody', 'thead', 'tfoot'], ['li'], ['dt', 'dd'], ['option']];
const holders = ['table', 'ul', 'ol', 'dl'];

/**
 * How deep we are in what is hidden. It ends where its own tag is closed, where one around it is, and where its like
 * begins: few writers close every tag.
 */
export class Hiding {
  private readonly name: string;
  private readonly isShrunk: boolean;
  private readonly open = new Map<string, number>();

  constructor(tag: Tag) {
    this.name = tag.name;
    this.isShrunk = isShrunk(tag);
  }

  /** Whether an opening tag ends it; that tag is shown then. */
  endsAtOpening(tag: Tag, isBlock: boolean): boolean {
    const { name } = tag;
    if (this.isShrunk && mayGrow(tag)) return true;
    const row = rows.find((names) => names.includes(this.name));
    if (this.name === 'p' ? isBlock : row?.includes(name) && !holders.some((holder) => this.isOpen(holder)))
      return true;
    this.open.set(name, (this.open.get(name) ?? 0) + 1);
    return false;
  }

  /** Whether a closing tag ends it: its own, or one of the tags about it. */
  endsAtClosing(name: string, isBlock: boolean): boolean {
    const open = this.open.get(name) ?? 0;
    this.open.set(name, Math.max(open - 1, 0));
    return open === 0 && (name === this.name || isBlock);
  }

  private isOpen(name: string): boolean {
    return (this.open.get(name) ?? 0) > 0;
  }
}
