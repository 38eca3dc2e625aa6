import { z } from 'zod';

/** Who may ask the local identity provider for tokens. */
export interface TokenClient {
  id: string;
  secret: string;
}

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
