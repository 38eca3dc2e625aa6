import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { internalRoutes } from '@ops/contracts/internal-routes';
import { allowed } from './desk.ts';

/** One request as the provider took it. */
interface Taken {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Behaviour = (taken: Taken, res: ServerResponse) => void | Promise<void>;

/** A provider, or another service, that does as it is told and keeps a journal of what it was asked. */
export interface Outside {
  url: string;
  journal: Taken[];
  behave(how: Behaviour): void;
  close(): Promise<void>;
}

export async function startOutside(first: Behaviour): Promise<Outside> {
  const journal: Taken[] = [];
  let behaviour = first;
  const server = createServer(async (req, res) => {
    const taken = { path: req.url ?? '', headers: req.headers, body: await bodyOf(req) };
    journal.push(taken);
    await behaviour(taken, res);
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    journal,
    behave: (how) => {
      behaviour = how;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const listening = (server: Server): Promise<number> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}

export const answer = (status: number, body: unknown, headers: Record<string, string> = {}): Behaviour => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (_, res) => void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text);
};

/** Takes each message under a number of its own. */
export function takesAll(): Behaviour {
  let count = 0;
  return (taken, res) => answer(201, { sid: `SM${++count}`, status: 'queued' })(taken, res);
}

/** comms-service as the notifier meets it, asked about one message or several. */
export const permits: Behaviour = (taken, res) => {
  if (taken.path !== internalRoutes.askToSendSeveral.path) return answer(200, allowed)(taken, res);
  const { data } = JSON.parse(taken.body) as { data: object[] };
  return answer(200, { data: data.map(() => allowed) })(taken, res);
};
