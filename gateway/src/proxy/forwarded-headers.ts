import type { IncomingHttpHeaders } from 'node:http';

/**
 * What a service behind us is told of a request under /ops: these and nothing else, so no header, however spelt, can speak
 * for the caller. Who that is follows in the signed identity alone; the caller's own token and cookie stay here.
 */
const understood = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-encoding',
  'content-length',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'prefer',
  'range',
  'transfer-encoding',
  'user-agent',
]);

export const opsHeaders = (given: IncomingHttpHeaders): IncomingHttpHeaders =>
  pick(given, (name) => understood.has(name));

/**
 * Headers that are between two machines only and never passed on (RFC 9110, 7.6.1), and those of our own browser
 * sessions.
 */
const ownHop = new Set([
  'connection',
  'cookie',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]);
const speaksForSomebody = [
  /^x-(ops|users?|userid|roles?|customers?|actors?|identity|subject|auth|authenticated|remote|internal|forwarded|real-ip|client-ip|cluster-client-ip|original)(-|$)/,
  /^(forwarded|remote-user|true-client-ip|user-(id|role|name|email)|(user|role|roles|actor|subject|identity)(-id)?)$/,
];
const claimsAnIdentity = (name: string) => speaksForSomebody.some((pattern) => pattern.test(name.replaceAll('_', '-')));

/**
 * Providers put their signatures into headers of their own, so all headers of a webhook pass but those that claim an
 * identity.
 */
export const webhookHeaders = (given: IncomingHttpHeaders): IncomingHttpHeaders =>
  pick(given, (name) => !ownHop.has(name) && !claimsAnIdentity(name));

function pick(given: IncomingHttpHeaders, passes: (name: string) => boolean): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(given).filter(([name]) => passes(name.toLowerCase())));
}
