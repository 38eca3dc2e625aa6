import PostalMime, { type Address } from 'postal-mime';
import type { FileStore } from '../file-store.ts';
import type { StoredFile } from '../message.ts';

/** A mail of the firm's as the person's mailbox shows it. */
export interface ReadMail {
  message_id: string;
  from: string;
  reply_to: string | null;
  in_reply_to: string | null;
  references: string[];
  subject: string;
  text: string;
  html: string | null;
  files: StoredFile[];
}

export async function readMail(bytes: Buffer, store: FileStore): Promise<ReadMail> {
  const mail = await PostalMime.parse(bytes);
  const files = mail.attachments.map(({ content, filename, mimeType }) =>
    store.put(Buffer.from(content as ArrayBuffer), { name: filename ?? 'file', media_type: mimeType }),
  );
  return {
    message_id: mail.messageId ?? '',
    from: addressOf(mail.from ? [mail.from] : []) ?? '',
    reply_to: addressOf(mail.replyTo ?? []),
    in_reply_to: mail.inReplyTo?.trim() || null,
    references: (mail.references ?? '').split(/\s+/).filter((one) => one !== ''),
    subject: mail.subject ?? '',
    text: (mail.text ?? '').trimEnd(),
    html: mail.html ?? null,
    files: await Promise.all(files),
  };
}

const addressOf = (addresses: Address[]): string | null => addresses[0]?.address ?? null;
