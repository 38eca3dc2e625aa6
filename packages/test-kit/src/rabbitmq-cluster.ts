import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { howToInstall } from './rabbitmq-node.ts';
import { fetchedRabbit, installedRabbit } from './rabbitmq-packages.ts';
import { type NamedNode, newCookie, startMapper, startNode } from './rabbitmq-server.ts';

/** Several nodes that are one broker, each of which a test may kill. `stop` removes all of it. */
export interface RabbitCluster {
  nodes: readonly NamedNode[];
  /** As the node tells that is asked. */
  quorumQueues(asked: NamedNode): Promise<QuorumQueue[]>;
  stop(): Promise<void>;
}

/** By the names of the nodes. */
export interface QuorumQueue {
  name: string;
  /** Empty while they are choosing one. */
  leader: string;
  /** Who has a copy of it, and who of them is there. */
  members: string[];
  online: string[];
}

/** No containers: they would have to know each other by name. */
export async function startRabbitCluster(size: number): Promise<RabbitCluster> {
  const installation = installedRabbit() ?? (await fetchedRabbit());
  if (!installation) throw new Error(howToInstall);
  const mapper = await startMapper(installation);
  const company = { mapperPort: mapper.port, cookie: newCookie() };
  const nodes: NamedNode[] = [];
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await mapper.stop();
  };
  try {
    const first = await startNode({ installation, company });
    nodes.push(first);
    // One after the other: two that join at once may miss each other.
    while (nodes.length < size)
      nodes.push(await startNode({ installation, company: { ...company, joins: first.name } }));
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, quorumQueues, stop };
}

async function quorumQueues({ rabbitmqctl: { command, env } }: NamedNode): Promise<QuorumQueue[]> {
  const columns = ['name', 'type', 'leader', 'members', 'online'];
  const args = ['list_queues', '--quiet', '--formatter', 'json', ...columns];
  const { stdout } = await promisify(execFile)(command, args, { env });
  const queues = JSON.parse(stdout) as (QuorumQueue & { type: string })[];
  return queues.filter(({ type }) => type === 'quorum');
}
