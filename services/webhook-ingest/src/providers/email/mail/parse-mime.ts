import PostalMime, { type Attachment } from 'postal-mime';
import type { Mail, MailFile } from './mail.ts';
import { textOfHtml } from './text-of-html.ts';

/** Far beyond what mail programs write; what goes beyond is kept as it came. */
const limits = { maxNestingDepth: 50, maxHeadersSize: 512 * 1024 };

/** Rejects what goes beyond reason. Mails within a mail stay files: they were written by somebody else. */
export async function parseMime(bytes: Uint8Array): Promise<Mail> {
  const email = await PostalMime.parse(bytes, { ...limits, forceRfc822Attachments: true });
  const html = filled(email.html);
  return {
    headers: email.headers.map(({ key, value }) => ({ key, value })),
    subject: email.subject ?? null,
    text: filled(email.text) ?? (html === null ? null : textOfHtml(html)),
    html,
    files: email.attachments.map(fileOf),
  };
}

const filled = (text: string | undefined): string | null => (text?.trim() ? text : null);

function fileOf({ filename, mimeType, contentId, content }: Attachment): MailFile {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    name: filename ?? nameless[mimeType] ?? null,
    mediaType: mimeType,
    contentId: contentId?.replace(/^<|>$/g, '') ?? null,
    bytes,
  };
}

/** What mail programs leave without a name. */
const nameless: Record<string, string> = {
  'message/rfc822': 'message.eml',
  'text/calendar': 'invitation.ics',
  'message/delivery-status': 'delivery-status.txt',
  'text/rfc822-headers': 'headers.txt',
};
