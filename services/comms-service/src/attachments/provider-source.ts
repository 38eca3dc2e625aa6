import { z } from 'zod';
import { FetchError, tooLarge } from './attachment.rules.ts';
import type { FileSource, FileSources } from './file-source.ts';
import { judge, type MediaRules } from './media-address.rules.ts';
import type { MediaAnswer, RequestMedia } from './media-client.ts';

export interface ProviderSettings {
  MESSAGING_APP_BASE_URL?: string | undefined;
  MESSAGING_APP_ACCESS_TOKEN?: string | undefined;
  SMS_BASE_URL?: string | undefined;
  SMS_ACCOUNT_SID?: string | undefined;
  SMS_AUTH_TOKEN?: string[] | undefined;
  MEDIA_HOSTS: string[];
  ATTACHMENT_MAX_BYTES: number;
}

/** One way to a provider's files: what may be asked, and by whom. */
interface Access {
  rules: MediaRules;
  authorization: string;
  mostBytes: number;
  request: RequestMedia;
}

/** The messaging app keeps its files there, and asks for the token again. */
const credentialHosts = ['lookaside.fbsbx.com'];

export function providerSources(settings: ProviderSettings, request: RequestMedia): FileSources {
  const { MEDIA_HOSTS: hosts, ATTACHMENT_MAX_BYTES: mostBytes } = settings;
  const { MESSAGING_APP_BASE_URL, MESSAGING_APP_ACCESS_TOKEN, SMS_BASE_URL, SMS_ACCOUNT_SID, SMS_AUTH_TOKEN } =
    settings;
  const sources: FileSources = {};
  if (MESSAGING_APP_BASE_URL && MESSAGING_APP_ACCESS_TOKEN)
    sources['cloud-api'] = cloudApiFiles({
      rules: { baseUrl: MESSAGING_APP_BASE_URL, hosts, credentialHosts },
      authorization: `Bearer ${MESSAGING_APP_ACCESS_TOKEN}`,
      mostBytes,
      request,
    });
  if (SMS_BASE_URL && SMS_ACCOUNT_SID && SMS_AUTH_TOKEN)
    sources.twilio = twilioFiles({
      rules: { baseUrl: SMS_BASE_URL, hosts, credentialHosts: [] },
      authorization: `Basic ${Buffer.from(`${SMS_ACCOUNT_SID}:${SMS_AUTH_TOKEN[0]}`).toString('base64')}`,
      mostBytes,
      request,
    });
  return sources;
}

const described = z.object({ url: z.string(), file_size: z.coerce.number().optional() });

/** The id leads to an address, good for minutes, and the address to the file. */
function cloudApiFiles(access: Access): FileSource {
  const base = access.rules.baseUrl.replace(/\/$/, '');
  return {
    async fetch(id, signal) {
      const about = await follow(`${base}/${encodeURIComponent(id)}`, { ...access, mostBytes: 64 * 1024 }, signal);
      const { url, file_size = 0 } = describedIn(about);
      if (file_size > access.mostBytes) throw tooLarge(access.mostBytes);
      return follow(url, access, signal);
    },
  };
}

function describedIn(answer: Buffer) {
  try {
    return described.parse(JSON.parse(answer.toString('utf8')));
  } catch {
    throw new FetchError('not_understood', 'The provider did not say where the file lies', false);
  }
}

const twilioFiles = (access: Access): FileSource => ({ fetch: (url, signal) => follow(url, access, signal) });

const mostRedirects = 3;

/** Each step of the way is judged anew: a redirect may lead anywhere. */
async function follow(start: string, access: Access, signal: AbortSignal): Promise<Buffer> {
  let url = addressOf(start);
  for (let step = 0; step <= mostRedirects; step++) {
    const answer = await ask(url, access, signal);
    if (answer.location === undefined) return fileOf(answer);
    url = addressOf(answer.location, url);
  }
  throw new FetchError('too_many_redirects', 'The provider sends from one address to the next', true);
}

async function ask(url: URL, { rules, authorization, mostBytes, request }: Access, signal: AbortSignal) {
  const judged = judge(url, rules);
  if (!judged) throw refused();
  const headers: Record<string, string> = judged.credentials ? { Authorization: authorization } : {};
  try {
    return await request({ url, headers, publicOnly: judged.publicOnly, mostBytes, signal });
  } catch (error) {
    if (error instanceof FetchError) throw error;
    if ((error as { code?: unknown }).code === 'EPRIVATE') throw refused();
    throw new FetchError('unreachable', 'The provider could not be reached', false, error);
  }
}

const refused = () => new FetchError('address_refused', "The file does not lie with its provider's hosts", true);

function addressOf(text: string, from?: URL): URL {
  const url = URL.canParse(text, from?.href) ? new URL(text, from) : undefined;
  if (!url) throw refused();
  return url;
}

/** What a provider may answer today and not tomorrow: rotated credentials, haste, trouble of its own. */
const passing = [401, 403, 408, 425, 429];

function fileOf({ status, content }: MediaAnswer): Buffer {
  if (status === 200) return content;
  if (status >= 500 || passing.includes(status))
    throw new FetchError(`http_${status}`, `The provider answered ${status}`, false);
  throw new FetchError('gone', `The provider does not have the file (${status})`, true);
}
