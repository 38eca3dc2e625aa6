import type { Provider } from '../provider.ts';
import { createBasicAuth, mostMailBytes } from './basic-auth.ts';
import { readRawMail } from './mail/raw-mail.ts';

interface MimeOptions {
  credentials: readonly string[] | undefined;
  newId(): string;
}

/** Our own mail server, or any that can post a mail as it is. */
export const createMime = ({ credentials = [], newId }: MimeOptions): Provider => ({
  name: 'mime',
  webhookPath: '/webhooks/email/mime',
  mostBytes: mostMailBytes,
  ...createBasicAuth('EMAIL_MIME_BASIC_AUTH', credentials),
  async read({ body, receivedAt }) {
    if (body.length === 0) return { items: [], parts: [], problem: 'The body is empty' };
    const envelope = { recipients: [], sender: null };
    return readRawMail(body, { provider: 'mime', envelope, receivedAt, newId });
  },
});
