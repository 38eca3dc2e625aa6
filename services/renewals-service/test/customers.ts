import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CustomerCard, internalRoutes } from '@ops/contracts/internal-routes';
import { bareCustomer } from '@ops/contracts/test/customer';

/** comms-service, as far as this service asks it. */
export interface TestCustomers {
  url: string;
  /** Who there is. */
  add(...cards: (Partial<CustomerCard> & { id: string })[]): void;
  /** It answers 503 from now on, or works again. */
  away(isAway: boolean): void;
  /** How often it was asked since it was last asked this. */
  calls(): number;
  close(): Promise<void>;
}

export const cardOf = (id: string): CustomerCard => ({ ...bareCustomer, merged: null, id });

export async function startTestCustomers(): Promise<TestCustomers> {
  const known = new Map<string, CustomerCard>();
  let isAway = false;
  let calls = 0;
  const server = createServer(async (req, res) => {
    calls += 1;
    const body = await text(req);
    if (isAway || req.url !== internalRoutes.readCustomerCards.path) return answer(res, isAway ? 503 : 404, {});
    const ids: string[] = JSON.parse(body).ids;
    answer(res, 200, { data: ids.flatMap((id) => known.get(id) ?? []) });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add(...cards) {
      for (const card of cards) known.set(card.id, { ...cardOf(card.id), ...card });
    },
    away(given) {
      isAway = given;
    },
    calls() {
      const asked = calls;
      calls = 0;
      return asked;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function answer(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
