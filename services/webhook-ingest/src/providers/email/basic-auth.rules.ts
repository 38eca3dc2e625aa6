import type { RawRequest, Verdict } from '../provider.ts';
import { sameBytes } from '../signature.ts';

/** For providers that sign nothing: a name and a password in the address they call, known before the body is read. */
export function createBasicAuth(setting: string, credentials: readonly string[]) {
  const isOurs = (headers: RawRequest['headers']): boolean => {
    const [, given = ''] = /^basic +([a-z\d+/=_-]+) *$/i.exec(headers.authorization ?? '') ?? [];
    return credentials.some((pair) => sameBytes(Buffer.from(pair), Buffer.from(given, 'base64')));
  };
  const turnsAway = (headers: RawRequest['headers']): string | undefined => {
    if (credentials.length === 0) return `${setting} is not set`;
    return isOurs(headers) ? undefined : 'its credentials are not ours';
  };
  return {
    proof: 'header' as const,
    turnsAway,
    verify({ headers }: RawRequest): Verdict {
      const reason = turnsAway(headers);
      return reason === undefined ? { ok: true } : { ok: false, reason };
    },
  };
}
