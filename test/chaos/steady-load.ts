import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { canary } from '@ops/test-kit/logs';
import { zoneWhereItIs } from '@ops/test-kit/time-zones';
import type { System } from '@ops/test-system/system';
import { appPayload, appText, asProvider } from '../webhooks/as-provider.ts';

/** Nobody's quiet hours hold. */
export const office = zoneWhereItIs(12);

/** What a system is told that is to take all of a load, and to do by itself nothing but that. */
export const env = {
  OPS_TIME_ZONE: office,
  RATE_LIMIT_PER_MINUTE: '1000000',
  REFRESH_CRON: 'off',
  RETENTION_CRON: 'off',
  SENDING_RATE_EMAIL: '1000',
  SENDING_RATE_MESSAGING_APP: '1000',
};

interface Person {
  id: string;
  phone: string;
  email: string;
}

/** Has them live in the world outside, and known as customers. */
export async function introduce(system: System, people: readonly Person[]): Promise<void> {
  const staff = await system.client('staff');
  for (const { id, phone, email } of people) {
    await system.simulator.person({ name: id, phone, email });
    await staff.put(`/ops/customers/${id}`, { name: id, phones: [phone], emails: [email] });
  }
}

type Headers = Record<string, string>;

interface Sent {
  method: 'GET' | 'POST';
  path: string;
  headers?: Headers;
  body?: Buffer;
}

/** One of many, with one connection, which it keeps. */
export interface Caller {
  name: string;
  /** `text`: the words that are there once this was answered. */
  next(n: number): Sent & { text?: string };
  /** Between an answer and the next request, in milliseconds. */
  rest(): number;
  /** Sends the same again until it is taken, as providers and careful programs do. */
  insists?: boolean;
}

export interface Load {
  /** Each request that was not answered as it should be. */
  failures: string[];
  requests: number;
  /** The words that were acknowledged. */
  taken: string[];
  /** Those of whom was told that it failed, and did not ask again. */
  refused: string[];
  /** The longest time in which nothing was acknowledged. */
  longestGapMs: number;
  /** Resolves when what is under way is answered. */
  stop(): Promise<void>;
}

/** How often each kind of failure came. */
export const tally = ({ failures }: Load, kindOf: (failure: string) => string): string =>
  Object.entries(Object.groupBy(failures, kindOf))
    .map(([kind, all]) => `${all?.length} times ${kind}`)
    .join(', ');

/** Calls until it is stopped, and notes what was acknowledged and what failed. */
export function beginLoad(url: string, callers: readonly Caller[]): Load {
  const load = {
    failures: [] as string[],
    requests: 0,
    taken: [] as string[],
    refused: [] as string[],
    longestGapMs: 0,
  };
  let over = false;
  let lastTaken = performance.now();
  const acknowledge = (text: string) => {
    load.taken.push(text);
    load.longestGapMs = Math.max(load.longestGapMs, performance.now() - lastTaken);
    lastTaken = performance.now();
  };
  const ask = async (agent: Agent, what: string, sent: Sent): Promise<boolean> => {
    const answer = await send(url, agent, sent).catch((error: NodeJS.ErrnoException) => String(error.code ?? error));
    load.requests += 1;
    const isWell = well.has(answer);
    if (!isWell) load.failures.push(`${what}: ${answer}`);
    return isWell;
  };
  const run = async ({ name, next, rest, insists = false }: Caller) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; !over; n += 1) {
      const { text, ...sent } = next(n);
      let isTaken = await ask(agent, `${name} ${n}`, sent);
      while (!isTaken && insists) {
        await pause(rest());
        isTaken = await ask(agent, `${name} ${n}`, sent);
      }
      if (text !== undefined) isTaken ? acknowledge(text) : load.refused.push(text);
      await pause(rest());
    }
    agent.destroy();
  };
  const running = callers.map(run);
  return Object.assign(load, {
    stop: async () => {
      over = true;
      await Promise.all(running);
    },
  });
}

const well = new Set<unknown>([200, 201, 202]);

function send(url: string, agent: Agent, { method, path, headers = {}, body }: Sent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, agent, headers }, (answer: IncomingMessage) => {
      answer.on('error', reject).on('end', () => resolve(answer.statusCode));
      answer.resume();
    });
    sent.on('error', reject).end(body);
  });
}

const briefly = () => 30;
/** As people do: their connections are idle for most of the time. */
const atTimes = () => Math.random() * 3_000;

export const reading = (name: string, path: string, headers: Headers): Caller => ({
  name,
  next: () => ({ method: 'GET', path, headers }),
  rest: briefly,
});

export const person = (name: string, path: string, headers: Headers): Caller => ({
  ...reading(name, path, headers),
  rest: atTimes,
});

export const asking = (name: string, path: string, headers: Headers): Caller => ({
  name,
  next: () => ({ method: 'POST', path, headers }),
  rest: atTimes,
});

/** `said` is what a record has beside its words; `isKeyed`: as a careful program writes it. */
export const writing = (name: string, customer: string, headers: Headers, said: object, isKeyed = false): Caller => ({
  name,
  next: (n) => {
    const text = canary();
    const key: Headers = isKeyed ? { 'idempotency-key': `${name}-${n}` } : {};
    return {
      method: 'POST',
      path: `/ops/customers/${customer}/communications`,
      headers: { ...headers, ...key, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ ...said, body: text })),
      text,
    };
  },
  rest: briefly,
});

export const posting = (name: string, phone: string): Caller => {
  const provider = asProvider('');
  return {
    name,
    next: (n) => {
      const text = canary();
      const payload = appPayload([appText(`wamid.${name}.${n}`, phone.slice(1), text)]);
      return { method: 'POST', ...provider.app(payload), text };
    },
    rest: briefly,
  };
};

/** A date of each customer's in turn, as long as there are any: it leads to an alert. */
export const renewing = (
  name: string,
  due: readonly { id: string; type: string }[],
  date: string,
  headers: Headers,
): Caller => ({
  name,
  next: (n) => {
    const one = due[n % due.length] as (typeof due)[number];
    return {
      method: 'POST',
      path: `/ops/customers/${one.id}/renewals`,
      headers: { ...headers, 'idempotency-key': `${name}-${one.id}`, 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ service_type: one.type, due_date: date })),
    };
  },
  rest: () => 250,
  insists: true,
});
