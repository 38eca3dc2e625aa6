import { setTimeout as sleep } from 'node:timers/promises';

export type Call = ReturnType<typeof caller>;

/** Asks as any caller would. Whoever asks too often is told how long to wait, and asks again. */
export const caller =
  (url: string, headers: Record<string, string>, signal?: AbortSignal) =>
  async (method: string, path: string, body?: object | Uint8Array, more: Record<string, string> = {}) => {
    for (;;) {
      const isFile = body instanceof Uint8Array;
      const response = await fetch(url + path, {
        method,
        ...(signal && { signal }),
        headers: { ...headers, ...(body && !isFile && { 'content-type': 'application/json' }), ...more },
        ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return text === '' ? null : JSON.parse(text);
      if (response.status !== 429)
        throw new Error(`the demo data were refused: ${method} ${path} answered ${response.status} ${text}`);
      await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1), undefined, { ...(signal && { signal }) });
    }
  };
