import { createHash } from 'node:crypto';
import querystring from 'node:querystring';
import type { RawRequest, Verdict } from '../provider.ts';
import { hmac, sameBytes } from '../signature.ts';
import { readForm } from './form.rules.ts';

export function verify(request: RawRequest, tokens: readonly string[], publicUrl: string | undefined): Verdict {
  const signature = request.headers['x-twilio-signature'];
  if (!signature || publicUrl === undefined) return { ok: false, reason: 'it carries no signature' };
  const url = publicUrl.replace(/\/$/, '') + request.path;
  const signed = tokens.some((token) => isSignedBy(token, signature, url, request.body));
  return signed ? { ok: true } : { ok: false, reason: 'its signature is not ours' };
}

/** The address and every field of the form; of a body that is no form, the address names the digest. */
export function isSignedBy(token: string, signature: string, url: string, body: Buffer): boolean {
  const digest = URL.parse(url)?.searchParams.get('bodySHA256');
  if (digest != null && !sameBytes(Buffer.from(digest), sha256(body))) return false;
  const form = digest == null ? fieldsOf(body) : '';
  if (form === undefined) return false;
  const given = Buffer.from(signature);
  const expected = (address: string) => Buffer.from(hmac('sha1', token, address + form).toString('base64'));
  return addresses(url).some((address) => sameBytes(expected(address), given));
}

const sha256 = (body: Buffer) => Buffer.from(createHash('sha256').update(body).digest('hex'));

/** Names in order, the values of a repeated one in order and each once, empty ones too. */
function fieldsOf(body: Buffer): string | undefined {
  const form = readForm(body);
  if (form === undefined) return undefined;
  const names = [...new Set(form.keys())].sort();
  return names.flatMap((name) => [...new Set(form.getAll(name))].sort().map((value) => name + value)).join('');
}

/**
 * What signs at Twilio's writes the same address in more than one way, as its own libraries take into account: with the
 * port and without, the query as it stands or encoded anew.
 */
function addresses(url: string): string[] {
  const parsed = URL.parse(url);
  if (parsed === null) return [];
  const { protocol, username, password, hostname, port, pathname, search } = parsed;
  const who = username && `${username}${password && `:${password}`}@`;
  const usual = protocol === 'https:' ? '443' : '80';
  const hosts = [hostname, `${hostname}:${port || usual}`];
  const asCalled = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const encodedAnew = search && `?${querystring.stringify(querystring.parse(search.slice(1)))}`;
  const targets = [asCalled, pathname + search, pathname + encodedAnew];
  return hosts.flatMap((host) => targets.map((target) => `${protocol}//${who}${host}${target}`));
}
