import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

interface Charset {
  decode(bytes: Uint8Array): string;
  /** So many letters that are UTF-8 are no chance any more; undefined where bytes are letters only in pairs. */
  doubtedAt?: number;
}

/**
 * Text of bytes whose sender may be wrong about their charset: in the one named if the bytes fit it, else in UTF-8 if they
 * are that, else in one that was hinted at, else in windows-1252, which has a letter for every byte. Bytes that fit none,
 * for some were cut or mixed in, are read by the first in which most make sense.
 */
export function decoded(bytes: Uint8Array, named?: string | null, ...hints: (string | null | undefined)[]): string {
  const charsets = [named, ...(escapes(bytes) ? ['iso-2022-jp'] : []), 'utf-8', ...hints].flatMap((name) =>
    charsetOf(name),
  );
  for (const charset of charsets) {
    const text = charset.decode(bytes);
    if (fits(text, bytes, charset)) return text;
  }
  const legible = charsets.find((charset) => isMostlyLegible(charset.decode(bytes)));
  if (legible === undefined) return windows1252.decode(bytes);
  return legible === utf8 ? mixed(bytes) : legible.decode(bytes);
}

const utf8: Charset = { decode: (bytes) => new TextDecoder().decode(bytes) };
const windows1252 = new TextDecoder('windows-1252');

/** What no text holds: bytes that are no letter, and controls that only a wrong charset makes of letters. */
const illegible = /[\ufffd\u0080-\u009f]/;

function fits(text: string, bytes: Uint8Array, { doubtedAt }: Charset): boolean {
  if (text.search(illegible) >= 0) return false;
  return doubtedAt === undefined || !isUtf8(bytes) || lettersOfUtf8(bytes, doubtedAt) < doubtedAt;
}

function lettersOfUtf8(bytes: Uint8Array, enough: number): number {
  let found = 0;
  for (const byte of bytes) if (byte >= 0xc0 && ++found === enough) break;
  return found;
}

function isMostlyLegible(text: string): boolean {
  let legible = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd || (code >= 0x80 && code < 0xa0)) legible--;
    else if (code >= 0xa0) legible++;
  }
  return legible >= 0;
}

const letter =
  /[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]/g;

/** UTF-8 where it is that; what is not, byte by byte. */
const mixed = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(letter, (found) => {
      const own = Buffer.from(found, 'latin1');
      return isUtf8(own) ? own.toString() : windows1252.decode(own);
    });

/** Japanese mail of seven bits, which would pass for ASCII. */
const escapes = (bytes: Uint8Array): boolean =>
  ['\x1b$B', '\x1b$@'].some((start) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(start));

/** What programs write that do not know, for Latin 1 too; the others are chosen. */
const presumed = 'windows-1252';
/** Says nothing: bytes of eight bits are not in it, and others are the same in all. */
const ascii = /^(?:us-?)?ascii$|^ansi_x3\.4-19\d\d$/;
/** What iconv-lite takes for charsets besides. */
const notations = ['base64', 'hex', 'binary'];

const known = new Map<string, Charset[]>([['utf-8', [utf8]]]);
const mostKnown = 500;
/** Names are remembered, and anybody may write one: no charset has a longer one. */
const longestLabel = 40;

function charsetOf(name: string | null | undefined): Charset[] {
  const label = name?.trim().toLowerCase() ?? '';
  if (label.length > longestLabel) return [];
  const found = known.get(label) ?? lookedUp(label);
  if (known.size < mostKnown) known.set(label, found);
  return found;
}

function lookedUp(label: string): Charset[] {
  if (label === '' || ascii.test(label) || notations.includes(label)) return [];
  try {
    const decoder = new TextDecoder(label);
    if (decoder.encoding === 'utf-8') return [utf8];
    return [withDoubts((bytes) => decoder.decode(bytes), decoder.encoding === presumed ? 1 : 4)];
  } catch {
    return iconv.encodingExists(label) ? [withDoubts((bytes) => iconv.decode(bytes, label), 4)] : [];
  }
}

const pairs = [Buffer.from([0x82, 0xa0]), Buffer.from([0xc3, 0xa4])];

function withDoubts(decode: Charset['decode'], doubtedAt: number): Charset {
  return pairs.every((pair) => decode(pair).length === pair.length) ? { decode, doubtedAt } : { decode };
}
