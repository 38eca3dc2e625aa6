import { z } from 'zod';
import { jsonOf, outcomeOf } from '../http-outcome.rules.ts';
import type { FileToSend, Outcome } from '../sender.ts';
import { type CloudApiSettings, callGraph, readAnswer } from './graph-client.ts';

const stored = z.looseObject({ id: z.string().min(1) });

/** How many time-outs an upload may take, since megabytes take longer than a message does. */
const timesAsLong = 3;

/** A file that was uploaded and never sent reaches nobody: whatever is unclear here is safe to try again. */
export async function uploadFile(
  settings: CloudApiSettings,
  file: FileToSend,
  now: () => Date,
): Promise<{ id: string } | Outcome> {
  const { mediaType, body } = await multipart(file);
  const timeoutMs = settings.timeoutMs * timesAsLong;
  const answer = await callGraph(settings, { edge: 'media', mediaType, body, timeoutMs });
  const outcome = outcomeOf('cloud-api', answer, readAnswer, now());
  if (outcome.kind === 'uncertain') return notUploaded(outcome.reason);
  if (outcome.kind !== 'accepted') return outcome;
  const id = answer.kind === 'answer' ? stored.safeParse(jsonOf(answer.body)).data?.id : undefined;
  return id === undefined ? notUploaded('the answer was not understood') : { id };
}

const notUploaded = (reason: string): Outcome => ({
  kind: 'not_taken',
  reason: `the file was not uploaded: ${reason}`,
  message: 'The file could not be handed over to the provider',
});

/** The platform writes the form; the exchange alone knows what became of it. */
async function multipart(file: FileToSend): Promise<{ mediaType: string; body: Buffer }> {
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', file.media_type);
  form.set('file', new Blob([new Uint8Array(file.content)], { type: file.media_type }), file.name);
  const encoded = new Response(form);
  return {
    mediaType: encoded.headers.get('content-type') ?? '',
    body: Buffer.from(await encoded.arrayBuffer()),
  };
}
