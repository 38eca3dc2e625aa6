import { uuidv7 } from '@ops/test-kit/builders';
import { canary } from '@ops/test-kit/logs';
import type { OutgoingMessage } from '../src/senders/sender.ts';

export const messageOf = (given: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  type: 'SMS',
  communication_id: uuidv7(),
  to: '+447700900123',
  user_id: null,
  subject: null,
  body: canary(),
  attachments: [],
  thread: { external_id: null, references: [] },
  locale: null,
  window_open_until: null,
  template: null,
  automated: false,
  ...given,
});

export const attemptId = '0197a3f0-1111-7222-8333-444455556666';
