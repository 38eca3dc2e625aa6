import type { Writable } from 'node:stream';
import { Busboy } from '@fastify/busboy';

/** A field of a form with its bytes as they came: its charset may stand in another field. */
export interface FormField {
  name: string;
  fileName: string | null;
  mediaType: string;
  bytes: Buffer;
}

const mostFields = 1_000;
const mostHeaderBytes = 16 * 1024;
const sliceBytes = 64 * 1024;
const plainForm = 'application/x-www-form-urlencoded';

/**
 * Rejects what is no form, and what has too many fields without looking at the rest of it. Busboy reads both kinds, as far
 * as a form goes: the runtime's own reader of forms takes minutes over a few megabytes of nothing but names. Each part is
 * taken as a file, and each letter of the other kind as a byte, so that no charset is guessed.
 */
export async function parseForm(contentType: string, body: Buffer): Promise<FormField[]> {
  const found: FormField[] = [];
  const form = new Busboy({
    headers: { 'content-type': /^multipart\/form-data\b/i.test(contentType) ? contentType : plainForm },
    limits: { parts: mostFields, fields: mostFields, fieldSize: body.length, headerSize: mostHeaderBytes },
    isPartAFile: () => true,
    defCharset: 'latin1',
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (error: Error) => {
    reject(error);
    form.destroy();
  };
  form.on('field', (name, value) =>
    found.push({ name, fileName: null, mediaType: 'text/plain', bytes: Buffer.from(value, 'latin1') }),
  );
  form.on('file', (name, stream, fileName, _encoding, mediaType) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', stop);
    stream.on('end', () => found.push({ name, fileName: fileName || null, mediaType, bytes: Buffer.concat(chunks) }));
  });
  for (const limit of ['partsLimit', 'fieldsLimit'] as const)
    form.on(limit, () => stop(new Error('The form has too many fields')));
  form.on('error', stop);
  form.on('finish', resolve);
  await Promise.all([promise, feed(form, body)]);
  return found;
}

/** In slices: the parser can be stopped between two of them alone. */
async function feed(form: Writable, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length && !form.destroyed; at += sliceBytes) {
    if (form.write(body.subarray(at, at + sliceBytes))) continue;
    await new Promise<void>((resolve) => form.once('drain', resolve).once('close', resolve));
  }
  if (!form.destroyed) form.end();
}
