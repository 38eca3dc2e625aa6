import { expect } from '@jest/globals';
import type { System } from '@ops/test-system/system';

/** Nothing is to be sent, on the wire, on its way in, or between the services. */
export async function nothingWaits(system: System): Promise<void> {
  const [comms, notifier] = [system.database('comms'), system.database('notifier')];
  expect(await comms('communications').where({ status: 'QUEUED' }).select('id')).toEqual([]);
  expect(await notifier('sends').where({ status: 'QUEUED' }).orWhereNotNull('on_wire_at').select('id')).toEqual([]);
  const unwritten = { carried_out: false, outcome: 'planned' };
  expect(await notifier('alert_actions').where(unwritten).whereNotNull('together').select('id')).toEqual([]);
  expect(await system.simulator.webhooksWaiting()).toBe(0);
  expect(await system.eventsWaiting()).toBe(0);
}
