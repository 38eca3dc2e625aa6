import amqp from 'amqplib';
import { startContainer } from './rabbitmq-container.ts';
import { startFetched } from './rabbitmq-node.ts';
import { installedRabbit } from './rabbitmq-packages.ts';
import { greets, startServer } from './rabbitmq-server.ts';

/** The RabbitMQ a whole test run shares. `stop` ends it if the run started it. */
export interface RunBroker {
  url: string;
  description: string;
  stop(): Promise<void>;
}

const local = 'amqp://guest:guest@127.0.0.1:5672';

/** AMQP_URL, else one listening on 127.0.0.1:5672, else Docker, else Debian's package; failing all, an error that says what to do. */
export async function findBroker(report: (line: string) => void): Promise<RunBroker> {
  const given = process.env.AMQP_URL;
  if (given) return running(given, 'the broker of AMQP_URL');
  if ((await greets(5672)) && (await accepts(local))) return running(local, 'the broker on 127.0.0.1:5672');
  const container = await startContainer(report);
  if (container) return container;
  const installed = installedRabbit();
  return installed ? startServer(installed) : startFetched(report);
}

async function running(url: string, description: string): Promise<RunBroker> {
  if (!(await accepts(url))) throw new Error(`${description} does not accept connections`);
  return { url, description, stop: async () => undefined };
}

async function accepts(url: string): Promise<boolean> {
  try {
    await (await amqp.connect(url, { timeout: 5000 })).close();
    return true;
  } catch {
    return false;
  }
}
