import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * Sends requests and takes down how each went: a process of its own, so that what this costs is told apart from what is
 * measured. It is told of a load over its channel and answers with what became of it.
 */
export interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

interface Requests {
  origin: string;
  /** From the first again after the last. */
  requests: Sent[];
}

/** As fast as so many connections take them. */
export interface Storm extends Requests {
  connections: number;
  until: { requests: number } | { seconds: number };
}

/** Whether or not the ones before have been answered, as long as there are connections. */
export interface Steady extends Requests {
  perSecond: number;
  seconds: number;
}

export type Load = Storm | Steady;

/** What became of a load; times are milliseconds, `sentAt` since 1970. */
export interface Loaded {
  seconds: number;
  sentAt: number[];
  took: number[];
  /** Seconds of processor time. */
  spent: number;
}

const now = () => performance.timeOrigin + performance.now();

async function put(load: Load): Promise<Loaded> {
  const { user, system } = process.cpuUsage();
  const began = now();
  const answered = 'perSecond' in load ? await steadily(load) : await inStorm(load);
  const seconds = (now() - began) / 1000;
  const after = process.cpuUsage();
  return { ...answered, seconds, spent: (after.user - user + after.system - system) / 1e6 };
}

interface Answered {
  sentAt: number[];
  took: number[];
}

async function inStorm({ origin, requests, connections, until }: Storm): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answered: Answered = { sentAt: [], took: [] };
  const ends = 'seconds' in until ? now() + until.seconds * 1000 : Number.POSITIVE_INFINITY;
  const most = 'requests' in until ? until.requests : Number.POSITIVE_INFINITY;
  let next = 0;
  const one = async () => {
    for (let n = next++; n < most && now() < ends; n = next++) {
      const sentAt = now();
      await send(agent, origin, requests[n % requests.length] as Sent);
      answered.sentAt.push(sentAt);
      answered.took.push(now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: connections }, one)).finally(() => agent.destroy());
  return answered;
}

/** As many as somebody who waits for no answer would open. */
const mostConnections = 128;

/** From when it was due: who waits because others wait has waited too. */
async function steadily({ origin, requests, perSecond, seconds }: Steady): Promise<Answered> {
  const agent = new Agent({ keepAlive: true, maxSockets: mostConnections });
  const began = now();
  const due = Array.from({ length: Math.round(perSecond * seconds) }, (_, n) => began + (n * 1000) / perSecond);
  const sent = due.map(async (at, n) => {
    await pause(Math.max(0, at - now()));
    await send(agent, origin, requests[n % requests.length] as Sent);
    return now() - at;
  });
  const took = await Promise.all(sent).finally(() => agent.destroy());
  return { sentAt: due, took };
}

async function send(agent: Agent, origin: string, { method, path, headers, body }: Sent): Promise<void> {
  const asked = request(origin + path, { agent, method, headers });
  asked.end(body);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const { statusCode = 0 } = answer;
  if (statusCode >= 200 && statusCode < 300) {
    answer.resume();
    await once(answer, 'end');
    return;
  }
  const text = Buffer.concat(await answer.toArray()).toString();
  throw new Error(`${method} ${path} was answered ${statusCode}: ${text}`);
}

process.on('message', (load: Load) => {
  put(load).then(
    (loaded) => process.send?.({ loaded }),
    (error: Error) => process.send?.({ failed: `${load.origin}: ${error.message}` }),
  );
});
process.once('disconnect', () => process.exit());
process.send?.({ type: 'ready' });
