/** What was sent, of what travelled. An encoding that nobody knows is taken for none. */
export function sentBytes(travelled: Buffer, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return base64(travelled);
  return /quoted-printable/i.test(encoding) ? quotedPrintable(travelled) : travelled;
}

/** Some programs end each line with padding, so what follows it counts. */
function base64(travelled: Buffer): Buffer {
  const letters = travelled.toString('latin1').replace(/[^A-Za-z0-9+/=]+/g, '');
  const sent = Buffer.allocUnsafe(letters.length);
  let length = 0;
  for (const [unit] of letters.matchAll(/[^=]+/g)) length += sent.write(unit, length, 'base64');
  return sent.subarray(0, length);
}

const equals = 0x3d;

function quotedPrintable(travelled: Buffer): Buffer {
  const sent = Buffer.allocUnsafe(travelled.length);
  let length = 0;
  for (let at = 0; at < travelled.length; at++) {
    const byte = travelled[at] ?? 0;
    const value = byte === equals ? hexAt(travelled, at + 1) : byte;
    const next = value === undefined ? afterSoftBreak(travelled, at + 1) : undefined;
    if (next === undefined) sent[length++] = value ?? byte;
    if (next !== undefined) at = next - 1;
    else if (byte === equals && value !== undefined) at += 2;
  }
  return sent.subarray(0, length);
}

function hexAt(bytes: Buffer, at: number): number | undefined {
  const hex = bytes.toString('latin1', at, at + 2);
  return /^[0-9a-f]{2}$/i.test(hex) ? Number.parseInt(hex, 16) : undefined;
}

/** Where the line goes on after an equals sign at its end, which blanks may follow. */
function afterSoftBreak(bytes: Buffer, from: number): number | undefined {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  if (at >= bytes.length) return at;
  if (bytes[at] === 0x0d) at++;
  return bytes[at] === 0x0a ? at + 1 : undefined;
}
