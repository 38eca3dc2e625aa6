/** Text whose lines were broken only to travel (RFC 3676), whole again: a line goes on where it ends with a blank. */
export function unfolded(text: string, dropsBlank: boolean): string {
  const lines: { depth: number; words: string[]; open: boolean }[] = [];
  for (const line of text.split('\n')) {
    const depth = line.match(/^>*/)?.[0].length ?? 0;
    const words = line.slice(depth).replace(/^ /, '');
    const open = words.endsWith(' ') && words !== '-- ';
    const piece = open && dropsBlank ? words.slice(0, -1) : words;
    const above = lines.at(-1);
    if (above?.open && above.depth === depth && words !== '-- ') {
      above.words.push(piece);
      above.open = open;
    } else lines.push({ depth, words: [piece], open });
  }
  return lines.map(({ depth, words }) => `${'>'.repeat(depth)}${depth > 0 ? ' ' : ''}${words.join('')}`).join('\n');
}
