import { inThread } from '../thread-client.ts';
import { decoded } from './charset.rules.ts';
import { type FormField, parseForm } from './form-fields-reader.ts';

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

/** Up to here a form takes a moment, whatever stands in it. */
const smallBytes = 128 * 1024;

/** Rejects what is no form. A buffer comes back from another thread as bytes alone. */
export async function readForm(contentType: string, body: Buffer): Promise<Form> {
  if (body.length <= smallBytes) return new Form(await parseForm(contentType, body));
  const fields = await inThread<FormField[]>(new URL('./form-worker.ts', import.meta.url), { contentType, body });
  return new Form(
    fields.map((field) => ({
      ...field,
      bytes: Buffer.from(field.bytes.buffer, field.bytes.byteOffset, field.bytes.length),
    })),
  );
}
