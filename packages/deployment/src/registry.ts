import { createHash } from 'node:crypto';
import type { ImageReference } from './image-references.ts';

/** An index of several platforms before one of them: a digest is to mean the same on every machine. */
const accepted = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const answerWithinMs = 30_000;

/** Docker Hub answers under another name than its own. */
const usualHosts: Record<string, string> = { 'docker.io': 'https://registry-1.docker.io' };

/**
 * The digest that a tag stands for now, as the OCI distribution API tells it. `hosts` says where a registry answers, if not
 * under its name. Whoever wants a token first is asked for one as nobody in particular.
 */
export async function askForDigest(image: ImageReference, hosts: Record<string, string> = {}): Promise<string> {
  const { registry, repository, tag } = image;
  const base = hosts[registry] ?? usualHosts[registry] ?? `https://${registry}`;
  const url = new URL(`/v2/${repository}/manifests/${tag}`, base);
  const ask = await asker(url);
  const told = (await ask('HEAD')).headers.get('docker-content-digest');
  // Not every registry says it of a manifest; it is that of what the manifest is made of.
  return isDigest(told) ? told : digestOf(Buffer.from(await (await ask('GET')).arrayBuffer()));
}

type Ask = (method: 'HEAD' | 'GET') => Promise<Response>;

async function asker(url: URL): Promise<Ask> {
  const ask = (method: string, headers: Record<string, string> = {}) =>
    fetch(url, { method, headers: { accept: accepted, ...headers }, signal: AbortSignal.timeout(answerWithinMs) });
  const first = await ask('HEAD');
  const token = first.status === 401 ? await requestToken(first.headers.get('www-authenticate') ?? '') : undefined;
  return async (method) => {
    const answer = await ask(method, token ? { authorization: `Bearer ${token}` } : {});
    if (!answer.ok) throw new Error(`${url.host} answered ${answer.status}`);
    return answer;
  };
}

/** `Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:library/node:pull"` */
async function requestToken(challenge: string): Promise<string> {
  const parts = [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value] as const);
  const { realm, ...query } = Object.fromEntries(parts) as Record<string, string>;
  if (!/^Bearer /i.test(challenge) || !realm) throw new Error('wants credentials, and no token will do');
  const url = new URL(realm);
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
  if (!answer.ok) throw new Error(`${url.host} gave no token: ${answer.status}`);
  const { token, access_token } = (await answer.json()) as { token?: string; access_token?: string };
  return token ?? access_token ?? '';
}

const isDigest = (told: string | null): told is string => /^sha256:[0-9a-f]{64}$/.test(told ?? '');

const digestOf = (manifest: Buffer): string => `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
