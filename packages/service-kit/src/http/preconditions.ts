import { preconditionFailed } from '../errors.ts';

/**
 * Holds a change back when it is based on a version that is no longer the current one. Without If-Match anything goes;
 * `*` asks only that the resource exists. Weak tags never match, as RFC 9110 has it for If-Match.
 */
export function requireMatch(ifMatch: string | undefined, version: number | string | undefined): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  const matches = version !== undefined && (tags.includes('*') || tags.includes(`"${version}"`));
  if (!matches) throw preconditionFailed('It was changed since; read it again');
}
