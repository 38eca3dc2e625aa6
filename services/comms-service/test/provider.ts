import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Answering = (req: IncomingMessage, res: ServerResponse) => void;

export interface TestProvider {
  url: string;
  /** What was asked, with what Authorization. */
  asked: { path: string; authorization: string | undefined }[];
  /** From now on. */
  answer(with_: Answering): void;
  close(): Promise<void>;
}

/** A provider, or another service, that answers as the test says. */
export async function startTestProvider(): Promise<TestProvider> {
  const asked: TestProvider['asked'] = [];
  let answering: Answering = (_req, res) => res.writeHead(404).end();
  const server = createServer((req, res) => {
    asked.push({ path: req.url ?? '', authorization: req.headers.authorization });
    answering(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer: (with_) => {
      answering = with_;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
