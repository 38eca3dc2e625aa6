/** The file cannot be read on from here; says why to the person who sent it. */
export class CsvFileError extends Error {
  override name = 'CsvFileError';
}

/**
 * The file as text, its lines ended alike: whatever system wrote it, a line is a line, and so is one within quotes. A byte
 * order mark is dropped. Bytes that are not UTF-8 are refused: read as anything else, names would come in garbled.
 */
export async function* textOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let heldReturn = '';
  for await (const chunk of chunks) {
    const text = heldReturn + decode(() => decoder.decode(chunk, { stream: true }));
    heldReturn = text.endsWith('\r') ? '\r' : '';
    yield withPlainLines(heldReturn ? text.slice(0, -1) : text);
  }
  yield withPlainLines(heldReturn + decode(() => decoder.decode()));
}

const withPlainLines = (text: string) => text.replace(/\r\n?/g, '\n');

function decode(read: () => string): string {
  try {
    return read();
  } catch {
    throw new CsvFileError('The file is not UTF-8 text: save it as "CSV UTF-8" and send it again');
  }
}
