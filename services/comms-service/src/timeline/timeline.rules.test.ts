import { expect, test } from '@jest/globals';
import { lineOf } from './timeline.rules.ts';

test('a renewal alert writes a line with what a screen needs', () => {
  const said = { customer_id: 'C-1', occurred_at: '2026-03-01T02:00:00Z' };
  const data = {
    renewal_id: '0195c4e0-0000-7000-8000-000000000001',
    service_type: 'RESIDENCE_PERMIT',
    due_date: '2026-03-31',
    rung: '30' as const,
    days_until_due: 30,
    superseded: [],
    silent: false,
    service_label: 'Residence permit',
    service_labels: {},
    number: null,
    version: 1,
    assigned_agent: null,
    reminders: 'on' as const,
    hold: null,
    run_id: null,
  };
  const event = { specversion: '1.0', id: 'event-1', source: 'test', subject: 'C-1', time: said.occurred_at } as const;
  expect(lineOf({ ...event, type: 'RENEWAL_TRIGGERED', data: { ...said, ...data } })).toEqual({
    event_id: 'event-1',
    type: 'RENEWAL_TRIGGERED',
    communication_id: null,
    written_under: null,
    ...said,
    data,
  });
});
