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

/**
 * Rejects what is no form. Busboy reads both kinds, as far as a form goes: the runtime's own reader of forms takes minutes
 * over a few megabytes of nothing but names, and anybody may post those. Each part is taken as a file, so that no charset
 * is guessed.
 */
export function readForm(contentType: string, body: Buffer): Promise<Form> {
  const { promise, resolve, reject } = Promise.withResolvers<Form>();
  const found: FormField[] = [];
  const form = new Busboy({
    headers: { 'content-type': /^multipart\/form-data\b/i.test(contentType) ? contentType : plainForm },
    limits: { parts: mostFields, fields: mostFields, fieldSize: body.length, headerSize: mostHeaderBytes },
    isPartAFile: () => true,
  });
  form.on('field', (name, value) =>
    found.push({ name, fileName: null, mediaType: 'text/plain', bytes: Buffer.from(value) }),
  );
  form.on('file', (name, stream, fileName, _encoding, mediaType) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => found.push({ name, fileName: fileName || null, mediaType, bytes: Buffer.concat(chunks) }));
  });
  for (const limit of ['partsLimit', 'fieldsLimit'] as const)
    form.on(limit, () => reject(new Error('The form has too many fields')));
  form.on('error', reject);
  form.on('finish', () => resolve(new Form(found)));
  form.end(body);
  return promise;
}

const plainForm = 'application/x-www-form-urlencoded';
