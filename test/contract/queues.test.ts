import { expect, test } from '@jest/globals';
import type { Topology } from '@ops/bus/topology';
import { eventRoutes } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';

test('the queues the catalogue of events names are those the services read', async () => {
  const topologies: Topology[] = await Promise.all(
    serviceNames.map(async (name) => (await import(`../../services/${name}/src/topology.ts`)).topology),
  );
  const read = topologies
    .flatMap(({ queues }) => Object.values(queues))
    .flatMap(({ name, bindings }) => bindings.map((type) => ({ type, queue: name })));
  const byName = (routes: { type: string; queue: string }[]) =>
    routes.map(({ type, queue }) => `${type} ${queue}`).sort();
  expect(byName(read)).toEqual(byName(eventRoutes));
});
