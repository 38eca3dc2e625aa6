import { Busboy } from '@fastify/busboy';
import { decoded } from './charset.ts';

/** A field of a form with its bytes as they came: its charset may stand in another field. */
export interface FormField {
  name: string;
  fileName: string | null;
  mediaType: string;
  bytes: Buffer;
}

export class Form {
  readonly fields: readonly FormField[];

  constructor(fields: readonly FormField[]) {
    this.fields = fields;
  }

  field(name: string): FormField | undefined {
    return this.fields.find((field) => field.name === name);
  }

  text(name: string, charset = 'utf-8'): string | undefined {
    const field = this.field(name);
    return field && decoded(field.bytes, charset);
  }
}

const mostFields = 1_000;
const mostHeaderBytes = 16 * 1024;

export async function readForm(contentType: string, body: Buffer): Promise<Form> {
  if (/^multipart\/form-data\b/i.test(contentType)) return new Form(await readMultipart(contentType, body));
  const pairs = [...new URLSearchParams(body.toString('utf8'))].slice(0, mostFields);
  return new Form(
    pairs.map(([name, value]) => ({ name, fileName: null, mediaType: 'text/plain', bytes: Buffer.from(value) })),
  );
}

/** Rejects what is no form. Every part is taken as a file, so that no charset is guessed. */
function readMultipart(contentType: string, body: Buffer): Promise<FormField[]> {
  const { promise, resolve, reject } = Promise.withResolvers<FormField[]>();
  const found: FormField[] = [];
  const form = new Busboy({
    headers: { 'content-type': contentType },
    limits: { parts: mostFields, headerSize: mostHeaderBytes },
    isPartAFile: () => true,
  });
  form.on('file', (name, stream, fileName, _encoding, mediaType) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => found.push({ name, fileName: fileName || null, mediaType, bytes: Buffer.concat(chunks) }));
  });
  form.on('partsLimit', () => reject(new Error('The form has too many parts')));
  form.on('error', reject);
  form.on('finish', () => resolve(found));
  form.end(body);
  return promise;
}
