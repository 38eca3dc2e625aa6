import { expect } from '@jest/globals';
import type { System } from '@ops/test-system/system';

/** Nothing is to be sent, on the wire, on its way in, or between the services. */
export async function nothingWaits(system: System): Promise<void> {
  const [comms, notifier] = [system.database('comms'), system.database('notifier')];
  expect(await comms('communications').where({ status: 'QUEUED' }).select('id')).toEqual([]);
  expect(await notifier('sends').where({ status: 'QUEUED' }).select('id')).toEqual([]);
  await nothingMoves(system);
}

/** What waits was told until when, and that is hours away. */
export async function nothingMoves(system: System): Promise<void> {
  const [comms, notifier] = [system.database('comms'), system.database('notifier')];
  expect(await comms('communications').where({ status: 'QUEUED', send_after: null }).select('id')).toEqual([]);
  const soon = `on_wire_at IS NOT NULL OR (status = 'QUEUED' AND next_try_at < now() + interval '1 hour')`;
  expect(await notifier('sends').whereRaw(soon).select('id')).toEqual([]);
  const unwritten = { carried_out: false, outcome: 'planned' };
  expect(await notifier('alert_actions').where(unwritten).whereNotNull('together').select('id')).toEqual([]);
  // What becomes of alerts is looked at by turns of notifier, and may have another message written.
  expect(await notifier('alert_actions').where('look_again_at', '<=', new Date()).select('id')).toEqual([]);
  expect(await system.simulator.webhooksWaiting()).toBe(0);
  expect(await system.eventsWaiting()).toEqual({});
}
