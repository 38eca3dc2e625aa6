import { leash } from '@ops/machine/leash';
import { reservePort } from '@ops/machine/ports';
import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers';
import type { RabbitNode } from './rabbitmq-server.ts';

const image = 'rabbitmq:4-management';

/** RabbitMQ in a container; `undefined` on a machine without a container engine, or that cannot get the image. */
export async function startContainer(report: (line: string) => void): Promise<RabbitNode | undefined> {
  // The helper container that would clean up is one more image to fetch; `stop` and the leash do that here.
  process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true';
  const client = await getContainerRuntimeClient().catch(() => undefined);
  if (!client) return undefined;
  return startImage(client).catch((error) => {
    report(`Docker is here, but ${image} does not start in it: ${error}`);
    return undefined;
  });
}

type Client = Awaited<ReturnType<typeof getContainerRuntimeClient>>;

async function startImage(client: Client): Promise<RabbitNode> {
  const reserved = await reservePort();
  await reserved.release();
  const ready = Wait.forLogMessage(/Server startup complete/);
  const started = await new GenericContainer(image)
    .withExposedPorts({ container: 5672, host: reserved.port })
    .withWaitStrategy(ready)
    .withStartupTimeout(180_000)
    .start();
  const container = client.container.getById(started.getId());
  const release = leash(`docker rm -fv ${started.getId()}`);
  return {
    url: `amqp://guest:guest@${started.getHost()}:${reserved.port}`,
    description: `${image} in a container`,
    rabbitmqctl: { command: `docker exec -i ${started.getId()} rabbitmqctl`, env: {} },
    kill: () => container.kill().then(() => undefined),
    start: async () => {
      await container.start();
      await ready.waitUntilReady(container, started as never, new Date());
    },
    stop: async () => {
      release();
      await started.stop({ remove: true, removeVolumes: true });
    },
  };
}
