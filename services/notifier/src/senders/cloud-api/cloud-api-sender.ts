import { outcomeOf } from '../http-outcome.rules.ts';
import { noRecipient, type Outcome, type OutgoingMessage, refuseUnless, type Sender } from '../sender.ts';
import { type CloudApiSettings, callGraph, readAnswer } from './graph-client.ts';
import { contentOf } from './payload.rules.ts';
import { uploadFile } from './upload-client.ts';

export function createCloudApiSender(settings: CloudApiSettings, now: () => Date): Sender {
  return {
    provider: 'cloud-api',
    async send(message, attemptId) {
      const refusal = refuseUnless('MESSAGING_APP', message);
      if (refusal) return refusal;
      const recipient = recipientOf(message);
      if (!recipient) return noRecipient;
      const content = contentOf(message, templatesFor(message, settings), now());
      if ('kind' in content) return content;
      const envelope = { ...recipient, biz_opaque_callback_data: attemptId };
      if (!('file' in content)) return post(settings, { ...envelope, ...content.payload }, now);
      const uploaded = await uploadFile(settings, content.file, now);
      return 'id' in uploaded ? post(settings, { ...envelope, ...content.payload(uploaded.id) }, now) : uploaded;
    },
  };
}

/** A provider approves other templates for reminders than for what people write. Who names one may name any. */
function templatesFor({ automated, template }: OutgoingMessage, { templates, alertTemplates = [] }: CloudApiSettings) {
  if (template) return [...templates, ...alertTemplates];
  return automated && alertTemplates.length > 0 ? alertTemplates : templates;
}

/** A user id is no phone number: it has a field of its own. */
function recipientOf({ to, user_id }: OutgoingMessage): object | undefined {
  if (to) return { to };
  return user_id ? { recipient: user_id } : undefined;
}

async function post(settings: CloudApiSettings, message: object, now: () => Date): Promise<Outcome> {
  const payload = { messaging_product: 'whatsapp', recipient_type: 'individual', ...message };
  const body = Buffer.from(JSON.stringify(payload));
  const { timeoutMs } = settings;
  const answer = await callGraph(settings, { edge: 'messages', mediaType: 'application/json', body, timeoutMs });
  return outcomeOf('cloud-api', answer, readAnswer, now());
}
