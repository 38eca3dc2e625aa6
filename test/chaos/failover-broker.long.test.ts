import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@ops/test-kit/eventually';
import { type QuorumQueue, type RabbitCluster, startRabbitCluster } from '@ops/test-kit/rabbitmq-cluster';
import { greets } from '@ops/test-kit/rabbitmq-server';
import { type System, startSystem } from '@ops/test-system/system';
import { type Balancer, startBalancer } from './balancer.ts';
import { callers, figures, goesOn, nothingLostOrDoubled, prepare } from './failing-over.ts';
import { beginLoad, env } from './steady-load.ts';

type Node = RabbitCluster['nodes'][number];

let cluster: RabbitCluster;
let balancer: Balancer;
let system: System;

beforeAll(async () => {
  balancer = await startBalancer(greets);
  cluster = await startRabbitCluster(3);
  balancer.instances(() => cluster.nodes.map(({ port }) => port));
  await eventually(() => expect(balancer.ready()).toHaveLength(3));
  const amqpUrl = `amqp://guest:guest@127.0.0.1:${balancer.port}`;
  system = await startSystem({ bus: 'rabbitmq', env, amqpUrl });
  await prepare(system);
});
afterAll(async () => {
  await system?.stop();
  await cluster?.stop();
  await balancer.stop();
});

test('the node of three that leads most queues is killed under load: no request fails, nothing is lost, nothing happens twice', async () => {
  const load = beginLoad(system.gatewayUrl, await callers(system));
  await goesOn(system, load, [50, 5]);
  const before = await cluster.quorumQueues(cluster.nodes[0] as Node);
  expect(before.filter(({ members, online }) => members.length < 3 || online.length < 3)).toEqual([]);
  const leader = mostLeading(before);
  await leader.kill();
  await goesOn(system, load, [150, 20]);
  const others = cluster.nodes.filter((node) => node !== leader);
  const meanwhile = await cluster.quorumQueues(others[0] as Node);
  expect(meanwhile).toHaveLength(before.length);
  for (const { leader: led } of meanwhile) expect(others.map(({ name }) => name)).toContain(led);

  await leader.start();
  await goesOn(system, load, [50, 5]);
  await load.stop();
  console.log(`the leader of ${ledBy(before, leader)} queues of ${before.length} killed: ${figures(load)}`);
  expect(load.failures).toEqual([]);
  await nothingLostOrDoubled(system, load);
  await eventually(async () => {
    const after = await cluster.quorumQueues(leader);
    expect(after.filter(({ online }) => online.length < 3)).toEqual([]);
  });
});

const ledBy = (queues: readonly QuorumQueue[], { name }: Node) => queues.filter(({ leader }) => leader === name).length;

const mostLeading = (queues: readonly QuorumQueue[]): Node =>
  cluster.nodes.toSorted((a, b) => ledBy(queues, b) - ledBy(queues, a))[0] as Node;
