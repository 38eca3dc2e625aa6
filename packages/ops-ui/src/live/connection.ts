import { useSyncExternalStore } from 'react';
import { isStillSignedIn } from '../api/client.ts';

export type Connection = 'connecting' | 'live' | 'lost' | 'offline';

let connection: Connection = 'connecting';
const listeners = new Set<() => void>();

function tell(now: Connection): void {
  connection = now;
  for (const listener of listeners) listener();
}

/** How current the screen is. */
export const useConnection = (): Connection =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => connection,
  );

const againAfterMs = 2_000;
/** Signing in makes this page anew, unless it was done in another tab. */
const signedOutMs = 30_000;
/** A heartbeat comes every 15 seconds: a connection that misses two of them is one in name only. */
const mostSilenceMs = 40_000;

/** Listens to the stream until it is stopped, over one connection after the other; `listen` is given each of them. */
export function keepConnected(url: string, listen: (source: EventSource) => void): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const disconnect = () => {
    clearTimeout(again);
    clearTimeout(silence);
    source?.close();
    source = undefined;
  };
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => {
      tell('lost');
      connect();
    }, mostSilenceMs);
  };
  const connect = () => {
    disconnect();
    const fresh = new EventSource(url);
    source = fresh;
    heard();
    fresh.onopen = () => tell('live');
    fresh.onerror = async () => {
      tell('lost');
      // The browser itself comes back after a lost connection, and gives up after a refused one.
      if (fresh.readyState !== EventSource.CLOSED) return;
      const waitMs = (await isStillSignedIn()) ? againAfterMs : signedOutMs;
      if (fresh === source) again = setTimeout(connect, waitMs);
    };
    fresh.addEventListener('heartbeat', heard);
    listen(fresh);
  };
  const goOffline = () => {
    disconnect();
    tell('offline');
  };
  const goOnline = () => {
    tell('connecting');
    connect();
  };
  addEventListener('offline', goOffline);
  addEventListener('online', goOnline);
  if (navigator.onLine) connect();
  else goOffline();
  return () => {
    removeEventListener('offline', goOffline);
    removeEventListener('online', goOnline);
    disconnect();
  };
}
