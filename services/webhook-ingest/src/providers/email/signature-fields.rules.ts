/** As many as a form is read. */
const mostFields = 1_000;
const mostHeaderBytes = 16 * 1024;
const mostValueBytes = 1_024;

/**
 * The values of these few short fields of a form, and nothing else of it: who posted it is not known yet. It hops from one
 * separator to the next, which costs nothing of what lies between.
 */
export function fieldsNamed(contentType: string, body: Buffer, names: readonly string[]): Map<string, string> {
  const [, quoted, bare] =
    /^multipart\/form-data\b.*\bboundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  const pieces = boundary === undefined ? plainFields(body) : partsOf(body, boundary);
  const found = new Map<string, string>();
  let left = mostFields;
  for (const { name, value } of pieces) {
    if (names.includes(name) && !found.has(name)) found.set(name, value());
    if (found.size === names.length || --left === 0) break;
  }
  return found;
}

interface Field {
  name: string;
  value(): string;
}

function* plainFields(body: Buffer): Generator<Field> {
  for (let at = 0; at < body.length; ) {
    const next = body.indexOf('&', at);
    const end = next < 0 ? body.length : next;
    const piece = body.subarray(at, Math.min(end, at + mostValueBytes)).toString('latin1');
    yield { name: piece.slice(0, Math.max(piece.indexOf('='), 0)), value: () => plainValue(piece) };
    at = end + 1;
  }
}

const plainValue = (piece: string): string => [...new URLSearchParams(piece).values()][0] ?? '';

/** A part begins after its boundary with its header, and ends with the next boundary. */
function* partsOf(body: Buffer, boundary: string): Generator<Field> {
  const opening = `--${boundary}\r\n`;
  const closing = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const first = body.indexOf(opening, 0, 'latin1');
  for (let at = first; at >= 0; at = body.indexOf(closing, at)) {
    const header = body.subarray(at, at + mostHeaderBytes);
    const length = header.indexOf('\r\n\r\n');
    if (length < 0) return;
    const [, name = ''] =
      /^content-disposition:.*[;\s]name="?([^";\r\n]*)/im.exec(header.toString('latin1', 0, length)) ?? [];
    at += length + 2;
    const content = at + 2;
    yield {
      name,
      value: () => {
        const rest = body.subarray(content, content + mostValueBytes);
        const end = rest.indexOf(closing);
        return end < 0 ? '' : rest.toString('latin1', 0, end);
      },
    };
  }
}
