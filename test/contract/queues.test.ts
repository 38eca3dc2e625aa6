import { expect, test } from '@jest/globals';
import { eventRoutes } from '@ops/contracts/events';
import { queuesOfServices } from '@ops/test-system/system';

test('the services read the queues that the catalogue of events names, and no others', () => {
  const read = queuesOfServices.map(({ name }) => name);
  expect(read.sort()).toEqual([...new Set(eventRoutes.map(({ queue }) => queue))].sort());
});
