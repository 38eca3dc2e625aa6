import type { MarkdownDocument, Piece } from './document.ts';

/** What a reader would type: one command of a fence, over as many lines as it takes, or one named in a sentence. */
export interface Command extends Piece {
  document: string;
}

const shells = ['sh', 'shell', 'bash', 'console'];
const programs = ['npm', 'npx', 'node', 'curl', 'docker', 'git', 'kubectl', 'openssl'];
const inSentence = new RegExp(`^(?:[A-Z_]+=\\S* )*(?:${programs.join('|')}) `);

/** In the order of the document; one that is named again is the same command. */
export function commandsOf({ path, fences, codes }: MarkdownDocument): Command[] {
  const typed = fences.filter(({ language }) => shells.includes(language)).flatMap(commandsIn);
  const named = codes.filter(({ text }) => inSentence.test(text));
  const all = [...typed, ...named].map((piece) => ({ ...piece, document: path }));
  const once = all.filter(({ text }, n) => all.findIndex((other) => other.text === text) === n);
  return once.sort((a, b) => a.line - b.line);
}

/** A command goes on while a quote is open or its line ends in a backslash or a pipe; a comment is none. */
function commandsIn({ text, line }: Piece): Piece[] {
  const found: Piece[] = [];
  let open: string[] = [];
  for (const [n, one] of text.split('\n').entries()) {
    if (open.length === 0 && /^\s*(#|$)/.test(one)) continue;
    open.push(one);
    if (goesOn(open.join('\n'))) continue;
    found.push({ text: withoutComment(open.join('\n')), line: line + 1 + n - (open.length - 1) });
    open = [];
  }
  if (open.length > 0) throw new Error(`line ${line}: a command without an end: ${open.join('\n')}`);
  return found;
}

const quoted = /'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]/g;

const goesOn = (text: string): boolean =>
  /['"\\]|(?:[|]|&&)\s*$/.test(text.replaceAll(/\\\n/g, '').replaceAll(quoted, ''));

const withoutComment = (text: string): string => (text.includes('\n') ? text : text.replace(/\s+# .*$/, ''));
