/**
 * Where to send a browser after sign-in: a page of ours and nothing else. Answers a whole address on `ownOrigin`, since a
 * path alone may start with two slashes after normalising and would then name another host.
 */
export function returnAddress(wanted: unknown, ownOrigin: string): string {
  const home = new URL('/', ownOrigin);
  if (typeof wanted !== 'string' || wanted.length > 2000 || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted))
    return home.href;
  const address = URL.parse(wanted, ownOrigin);
  if (!address || address.origin !== home.origin || address.pathname.startsWith('/auth/')) return home.href;
  return address.href;
}
