import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { TokenClient } from './system.ts';

const grant = 'urn:ops:grant:demo-person';
const answer = z.object({ access_token: z.string() });
const refusal = z.object({ error_description: z.string().optional(), error: z.string() });

/** A bearer token of the local identity provider for a demo person in this role. */
export async function requestToken(issuer: string, client: TokenClient, role: string, sub?: string): Promise<string> {
  const response = await fetch(`${issuer}/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: grant, role, ...(sub && { sub }) }),
  });
  const body = await response.json();
  if (response.ok) return answer.parse(body).access_token;
  const refused = refusal.safeParse(body).data;
  throw new Error(`no token: ${refused?.error_description ?? refused?.error ?? response.status}`);
}

/** What a running system tells those who may read its data directory. */
export const runFile = z.object({
  pid: z.int(),
  url: z.string(),
  issuer: z.string(),
  token_client: z.object({ id: z.string(), secret: z.string() }),
  processes: z.record(z.string(), z.int()),
});
export type RunFile = z.infer<typeof runFile>;

export const runFilePath = (dataDir: string): string => join(dataDir, 'run.json');

export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  const text = await readFile(runFilePath(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : runFile.parse(JSON.parse(text));
}
