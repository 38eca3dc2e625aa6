import type { Provider } from '../provider.ts';
import { createBasicAuth } from './basic-auth.rules.ts';
import type { Mail } from './mail/mail.rules.ts';
import { readRawMail } from './mail/raw-mail-reader.ts';
import { ownServersChecks } from './provider-checks.rules.ts';

interface MimeOptions {
  credentials: readonly string[] | undefined;
  /** The name by which our own mail server signs what it found out about a sender; without it, nobody's word counts. */
  authservId: string | undefined;
  newId(): string;
}

/** Our own mail server, or any that can post a mail as it is. */
export const createMime = ({ credentials = [], authservId, newId }: MimeOptions): Provider => ({
  name: 'mime',
  webhookPath: '/webhooks/email/mime',
  ...createBasicAuth('EMAIL_MIME_BASIC_AUTH', credentials),
  async read({ body, receivedAt }) {
    if (body.length === 0) return { items: [], parts: [], problem: 'The body is empty' };
    const envelope = { recipients: [], sender: null };
    const checks = (mail: Mail) => ownServersChecks(authservId, mail);
    return readRawMail(body, { provider: 'mime', envelope, checks, receivedAt, newId });
  },
});
