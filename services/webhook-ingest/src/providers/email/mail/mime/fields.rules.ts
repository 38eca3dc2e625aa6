import { decoded } from '../../charset.rules.ts';
import { decodeWords } from './encoded-words.rules.ts';

/** A line of a head, unfolded; each of its characters is a byte, for its charset is known only when all is read. */
export interface Field {
  key: string;
  value: string;
}

/** Only blanks and tabs continue a line, and nothing else is trimmed: other blanks could make one field of two. */
export function fieldsOf(head: string): Field[] {
  const lines: string[][] = [];
  for (const line of head.split(/\r*\n/)) {
    const above = lines.at(-1);
    if (above && /^[ \t]/.test(line)) above.push(line);
    else if (line !== '') lines.push([line]);
  }
  return lines.map((folded) => {
    const line = folded.join('');
    const colon = line.indexOf(':');
    const key = trimmed(colon < 0 ? line : line.slice(0, colon)).toLowerCase();
    return { key, value: colon < 0 ? '' : trimmed(line.slice(colon + 1).replace(/\r+/g, ' ')) };
  });
}

function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && ' \t'.includes(text.charAt(start))) start++;
  while (end > start && ' \t'.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** A field with parameters. The first of two counts, as the first of two fields does. */
export interface Structured {
  /** In lower case, without comments. */
  value: string;
  parameters: Map<string, string>;
}

const parameter = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?[^;]*|([^;]*))/gs;

/** Where a bracket is no comment. */
const forPeople = /name/;

export function structured(field: string): Structured {
  const [value = ''] = field.split(';', 1);
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of field.matchAll(parameter)) {
    const key = name.toLowerCase();
    const bare = forPeople.test(key) ? plain : (plain.split('(', 1)[0] ?? '');
    if (!parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/gs, '$1') ?? bare.trim());
  }
  return {
    value: value
      .replace(/\([^()]*\)/g, '')
      .trim()
      .toLowerCase(),
    parameters,
  };
}

/** A parameter that programs read, such as a charset. */
export const wordOf = ({ parameters }: Structured, name: string): string | undefined =>
  parameters.get(name)?.trim() || undefined;

/** A parameter that people read: in pieces, in a charset of its own, in encoded words or in bytes that nobody named. */
export function textOf({ parameters }: Structured, name: string, charset: string | undefined): string | undefined {
  const plain = parameters.get(name);
  return inPieces(parameters, name, charset) ?? (plain && decodeWords(decoded(bytesOf(plain), undefined, charset)));
}

export const bytesOf = (binary: string): Buffer => Buffer.from(binary, 'latin1');

function inPieces(parameters: Structured['parameters'], name: string, hint: string | undefined): string | undefined {
  const pieces = [...parameters]
    .flatMap(([key, value]) => {
      if (!key.startsWith(`${name}*`)) return [];
      const [, number = '0', encoded = ''] = /^(?:(\d{1,4})(\*?))?$/.exec(key.slice(name.length + 1)) ?? [];
      return { value, place: Number(number), encoded: encoded !== '' || key === `${name}*` };
    })
    .sort((one, other) => one.place - other.place);
  const [first] = pieces;
  if (first === undefined) return undefined;
  const [, charset, rest] = (first.encoded && /^([^']*)'[^']*'(.*)$/s.exec(first.value)) || [];
  const bytes = pieces.map((piece) => {
    const value = piece === first ? (rest ?? piece.value) : piece.value;
    return piece.encoded ? value.replace(/%([0-9a-f]{2})/gi, hexByte) : value;
  });
  return decoded(bytesOf(bytes.join('')), charset, hint);
}

const hexByte = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
