import type { Certificate } from './certificates.ts';
import { startContainer } from './rabbitmq-container.ts';
import { fetchedRabbit, installedRabbit } from './rabbitmq-packages.ts';
import { type RabbitNode, startServer } from './rabbitmq-server.ts';

export type { RabbitNode } from './rabbitmq-server.ts';

export const howToInstall =
  'There is no RabbitMQ for the tests. Give AMQP_URL of a running one, or start Docker, or install RabbitMQ ' +
  '(Debian and Ubuntu: apt-get install rabbitmq-server), or use a machine with apt-get, where it is fetched.';

/** One that takes nobody without TLS; no container, since its certificate would have to get into it. */
export const startSecureRabbitNode = async (certificate: Certificate): Promise<RabbitNode> => {
  const installation = installedRabbit() ?? (await fetchedRabbit());
  if (!installation) throw new Error(howToInstall);
  return startServer(installation, certificate);
};

/** A RabbitMQ of the caller's own: the installed one, else a container, else Debian's packages unpacked in `.tools`. */
export async function startRabbitNode(report: (line: string) => void = () => undefined): Promise<RabbitNode> {
  const installed = installedRabbit();
  if (installed) return startServer(installed);
  const container = await startContainer(report);
  if (container) return container;
  return startFetched(report);
}

export async function startFetched(report: (line: string) => void): Promise<RabbitNode> {
  const installation = await fetchedRabbit().catch((error) => {
    report(`Debian's RabbitMQ could not be fetched: ${error}`);
    return undefined;
  });
  if (!installation) throw new Error(howToInstall);
  return startServer(installation);
}
