import type { Communication } from '@ops/contracts/resources/communication';

/** A failed e-mail of agent-1 to C-1, but for what the test says. */
export const sampleRecord = (change: Partial<Communication>): Communication => ({
  ...{ id: '0195c4e0-0000-7000-8000-000000000001', customer_id: 'C-1', type: 'EMAIL', direction: 'OUTBOUND' },
  ...{ subject: null, body: 'Hello', unread: false, status: 'FAILED', author: 'agent-1', in_reply_to: null },
  ...{ renewal_id: null, reactions: [], attachments: [], provider: null, provider_message_id: null, struck: false },
  ...{ filed_at: null, failure: { code: '550', message: 'no such mailbox' }, send_after: null, received_at: null },
  ...{ occurred_at: '2026-03-01T12:00:00.000000Z', created_at: '2026-03-01T12:00:00.000000Z' },
  ...{
    quoted: null,
    has_html: false,
    amendments: [],
    attempt: 1,
    automated: false,
    template: null,
    filed_at: null,
    redacted_at: null,
  },
  ...change,
});
