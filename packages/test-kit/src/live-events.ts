import { createParser } from 'eventsource-parser';

export interface LiveEvent {
  type: string;
  data: unknown;
  /** By performance.now(). */
  heardAt: number;
}

/** What a live screen has heard so far; it hears on until it is closed. */
export interface LiveEvents {
  events: LiveEvent[];
  /** Settles when the server ends the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Resolves once the server answered: what happens from then on is heard. */
export async function listen(url: string, headers: Record<string, string>): Promise<LiveEvents> {
  const abort = new AbortController();
  const response = await fetch(url, { headers: { accept: 'text/event-stream', ...headers }, signal: abort.signal });
  if (!response.ok || !response.body)
    throw new Error(`the stream answered ${response.status}: ${await response.text()}`);
  const events: LiveEvent[] = [];
  return { events, ended: collect(response.body, events), close: () => abort.abort() };
}

async function collect(body: ReadableStream<Uint8Array<ArrayBuffer>>, events: LiveEvent[]): Promise<void> {
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => {
      if (event === 'heartbeat') return;
      events.push({ type: event, data: data === '' ? undefined : JSON.parse(data), heardAt: performance.now() });
    },
  });
  try {
    for await (const text of body.pipeThrough(new TextDecoderStream())) parser.feed(text);
  } catch (error) {
    // A stream that breaks off has ended; what could not be read is a fault. (Names, since jest has an Error of its own.)
    if ((error as Error).name === 'SyntaxError') throw error;
  }
}
