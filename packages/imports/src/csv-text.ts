/** The file cannot be read on from here; says why to the person who sent it. */
export class CsvFileError extends Error {
  override name = 'CsvFileError';
}

/** What stands for a character that was lost, here or before. */
export const lostCharacter = '\ufffd';

/**
 * The file as text, its lines ended alike: whatever system wrote it, a line is a line, and so is one within quotes. A byte
 * order mark is dropped, and a NUL, which no database keeps, is lost. Bytes that are not UTF-8 are refused: read as anything
 * else, names would come in garbled.
 */
export async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let heldReturn = '';
  for await (const chunk of chunks) {
    const text = heldReturn + decode(() => decoder.decode(chunk, { stream: true }));
    heldReturn = text.endsWith('\r') ? '\r' : '';
    yield storable(heldReturn ? text.slice(0, -1) : text);
  }
  yield storable(heldReturn + decode(() => decoder.decode()));
}

/** Of a file as it is kept: small, since each batch begins to read within one. */
export const pieceBytes = 32 * 1024;

/** All but the last of one length, so that what stands at a byte is found without reading what is before it. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const text of texts) {
    held = Buffer.concat([held, Buffer.from(text)]);
    for (; held.length >= pieceBytes; held = held.subarray(pieceBytes)) yield held.subarray(0, pieceBytes);
  }
  if (held.length > 0) yield held;
}

const storable = (text: string) => text.replace(/\r\n?/g, '\n').replaceAll('\u0000', lostCharacter);

function decode(read: () => string): string {
  try {
    return read();
  } catch {
    throw new CsvFileError('The file is not UTF-8 text: save it as "CSV UTF-8" and send it again');
  }
}
