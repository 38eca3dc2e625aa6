const BOX = 'margin padding border width height min-width max-width min-height max-height';
const SIDES = ['top', 'right', 'bottom', 'left'];
const BORDERS = 'border-collapse border-spacing border-radius border-color border-style border-width';
const LETTERS = 'color background-color font font-family font-size font-style font-weight letter-spacing line-height';
const LINES = 'text-align text-decoration text-indent text-transform vertical-align white-space word-break direction';
const LISTS = 'display float clear list-style-type table-layout';

const PROPERTIES = new Set([
  ...[BOX, BORDERS, LETTERS, LINES, LISTS].flatMap((names) => names.split(' ')),
  ...SIDES.flatMap((side) => [`margin-${side}`, `padding-${side}`, `border-${side}`]),
]);

/**
 * Words, numbers, colours. No bracket but a colour's and no backslash, so nothing can be fetched, however a browser
 * reads it: there is no other way to write a function.
 */
const VALUE = /^(?:[\w\s#%.,'"!+-]|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\))+$/i;
const LONGEST_VALUE = 300;

/** The declarations of a style attribute that say how text looks; anything that moves over others or fetches is left out. */
export function safeStyle(style: string): string {
  return style
    .split(';')
    .map((declaration) => safeDeclaration(declaration))
    .filter((declaration) => declaration !== undefined)
    .join('; ');
}

function safeDeclaration(declaration: string): string | undefined {
  const colon = declaration.indexOf(':');
  const property = declaration.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = declaration.slice(colon + 1).trim();
  const safe = PROPERTIES.has(property) && value.length <= LONGEST_VALUE && VALUE.test(value) && isBalanced(value);
  return safe ? `${property}: ${value}` : undefined;
}

/** A quote left open would swallow the declarations after it. */
const isBalanced = (value: string): boolean => [`'`, '"'].every((quote) => value.split(quote).length % 2 === 1);
