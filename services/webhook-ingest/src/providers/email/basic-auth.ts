import type { RawRequest, Verdict } from '../provider.ts';
import { sameBytes } from '../signature.ts';

/** For providers that sign nothing: a name and a password in the address they call, known before the body is read. */
export function createBasicAuth(setting: string, credentials: readonly string[]) {
  const isOurs = (headers: RawRequest['headers']): boolean => {
    const [, given = ''] = /^basic +([a-z\d+/=_-]+) *$/i.exec(headers.authorization ?? '') ?? [];
    return credentials.some((pair) => sameBytes(Buffer.from(pair), Buffer.from(given, 'base64')));
  };
  return {
    admit: isOurs,
    verify({ headers }: RawRequest): Verdict {
      if (credentials.length === 0) return { ok: false, reason: `${setting} is not set` };
      return isOurs(headers) ? { ok: true } : { ok: false, reason: 'its credentials are not ours' };
    },
  };
}

/** What every provider of e-mail takes: whole mails with their files. */
export const mostMailBytes = 40 * 1024 * 1024;
