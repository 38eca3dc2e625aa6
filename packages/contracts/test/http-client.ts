import { checkResponse } from './response-check.ts';

export interface CallOptions {
  headers?: Record<string, string>;
  /** For an answer that does not end: it is closed unread. */
  headersOnly?: boolean;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Calls the API as anybody would, and checks every answer against the OpenAPI document. */
export interface ApiClient {
  request(method: string, path: string, options?: CallOptions & { body?: unknown }): Promise<Answer>;
  get(path: string, options?: CallOptions): Promise<Answer>;
  put(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>;
}

/** `headers` are asked for before each call: an identity may expire within a suite. */
export function createClient(
  url: string,
  headers: () => Promise<Record<string, string>> = async () => ({}),
): ApiClient {
  const request: ApiClient['request'] = async (method, path, options = {}) =>
    call(url, method, path, { ...options, headers: { ...(await headers()), ...options.headers } });
  return clientOf(request);
}

export const clientOf = (request: ApiClient['request']): ApiClient => ({
  request,
  get: (path, options) => request('GET', path, options),
  put: (path, body, options) => request('PUT', path, { ...options, body }),
  post: (path, body, options) => request('POST', path, { ...options, body }),
  patch: (path, body, options) => request('PATCH', path, { ...options, body }),
});

async function call(
  url: string,
  method: string,
  path: string,
  { headers, body, headersOnly }: CallOptions & { body?: unknown },
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    ...sent(body),
    headers: { ...sent(body).headers, ...headers },
  });
  const answer = { status: response.status, headers: response.headers, body: await read(response, headersOnly) };
  checkResponse({ method, path, ...answer });
  return answer;
}

/** A file goes as it is, anything else as JSON. */
function sent(body: unknown): { headers?: Record<string, string>; body?: NonNullable<RequestInit['body']> } {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { body: body as Uint8Array<ArrayBuffer> };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function read(response: Response, headersOnly = false): Promise<unknown> {
  if (headersOnly && response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  const text = await response.text();
  return /\bjson\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text;
}
