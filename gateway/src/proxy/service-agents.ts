import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface ServiceAgents {
  /** Uses a connection that is kept. */
  kept(protocol: string): HttpAgent;
  close(): void;
}

/** Less than services tell us to, and less than one waits that stops: an idle connection is given up here and never there. */
const idleMs = 3_000;

export function createServiceAgents(): ServiceAgents {
  const [http, https] = [new HttpAgent({ keepAlive: true }), new HttpsAgent({ keepAlive: true })];
  for (const agent of [http, https]) agent.keepSocketAlive = keepForAWhile;
  return {
    kept: (protocol) => (protocol === 'https:' ? https : http),
    close: () => {
      http.destroy();
      https.destroy();
    },
  };
}

/** The agent closes one whose time is over while nobody uses it; each request sets its own. */
function keepForAWhile(idle: Duplex): boolean {
  const socket = idle as Socket;
  socket.setKeepAlive(true);
  socket.setTimeout(idleMs);
  socket.unref();
  return true;
}
