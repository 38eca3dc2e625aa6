import { expect, test } from '@jest/globals';
import type { Topology } from '@ops/bus/topology';
import { eventRoutes } from '@ops/contracts/events';
import { serviceNames } from '@ops/contracts/routes';

test('the services read the queues that the catalogue of events names, and no others', async () => {
  const topologies: Topology[] = await Promise.all(
    serviceNames.map(async (name) => (await import(`../../services/${name}/src/topology.ts`)).topology),
  );
  const read = topologies.flatMap(({ queues }) => Object.values(queues).map(({ name }) => name));
  expect(read.sort()).toEqual([...new Set(eventRoutes.map(({ queue }) => queue))].sort());
});
