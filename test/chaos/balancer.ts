import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** What stands before several of a process, as a Service of a cluster does: connections go in turn to those that are ready. */
export interface Balancer {
  port: number;
  /** Where they are at the moment, ready or not. */
  instances(ports: () => readonly number[]): void;
  /** Which of them are sent to. */
  ready(): readonly number[];
  /** To which a connection went, ever. */
  sentTo: ReadonlySet<number>;
  stop(): Promise<void>;
}

const looksEveryMs = 200;

/** `isReady` asks as a probe does, by a connection of its own. */
export async function startBalancer(isReady: (port: number) => Promise<boolean> = answersReady): Promise<Balancer> {
  const open = new Set<Socket>();
  let known: () => readonly number[] = () => [];
  let ready: readonly number[] = [];
  let turn = 0;
  const sentTo = new Set<number>();
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const ports = [...new Set(known())];
    const answers = await Promise.all(ports.map(isReady));
    ready = ports.filter((_port, i) => answers[i]);
    isLooking = false;
  };
  const server = createServer((client) => {
    const port = ready[turn++ % ready.length];
    if (port === undefined) return void client.destroy();
    sentTo.add(port);
    const instance = connect(port, '127.0.0.1');
    for (const socket of [client, instance]) open.add(socket.setNoDelay());
    join(client, instance);
    client.once('close', () => open.delete(client));
    instance.once('close', () => open.delete(instance));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const looks = setInterval(look, looksEveryMs);
  return {
    port: (server.address() as AddressInfo).port,
    instances: (ports) => {
      known = ports;
    },
    ready: () => ready,
    sentTo,
    stop: async () => {
      clearInterval(looks);
      await closed(server, open);
    },
  };
}

/** What happens on one side happens on the other: an end, or a reset. */
function join(client: Socket, instance: Socket): void {
  client.pipe(instance).pipe(client);
  client.on('error', () => reset(instance));
  instance.on('error', () => reset(client));
}

/** One that has said its end may still be saying it: reset meanwhile, Node would wait for that for ever when the process ends. */
const reset = (socket: Socket) => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy());

async function answersReady(port: number): Promise<boolean> {
  const headers = { connection: 'close' };
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { headers }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

function closed(server: Server, open: Set<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of open) socket.destroy();
  });
}
