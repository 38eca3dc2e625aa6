import { expect, test } from '@jest/globals';
import type { Customer } from '@ops/contracts/resources/customer';
import { recipientOf, type Writer } from './recipient.rules.ts';

const ada = {
  phones: ['+41791234567', '+5511987654321'],
  emails: ['ada@example.com', 'ada@work.example'],
  user_ids: ['US.1', 'US.2'],
} as unknown as Customer;
const nothing = { ...ada, phones: [], emails: [], user_ids: [] };
const wrote = (writer: Partial<Writer>): Writer => ({ phone: null, email: null, user_id: null, ...writer });
const first = '+41791234567';

test.each([
  ['EMAIL', ada, null, { to: 'ada@example.com', user_id: 'US.1' }],
  ['SMS', ada, null, { to: first, user_id: 'US.1' }],
  ['MESSAGING_APP', ada, null, { to: first, user_id: 'US.1' }],
  ['MESSAGING_APP', nothing, null, { to: null, user_id: null }],
  ['EMAIL', nothing, null, { to: null, user_id: null }],
] as const)('%s that answers nobody goes to the first address of its kind', (type, customer, writer, recipient) => {
  expect(recipientOf(type, customer, writer)).toEqual(recipient);
});

test.each([
  ['EMAIL', { email: 'Ada@Work.example' }, { to: 'ada@work.example', user_id: 'US.1' }],
  ['EMAIL', { email: 'gone@example.com' }, { to: 'ada@example.com', user_id: 'US.1' }],
  ['SMS', { phone: '+5511987654321' }, { to: '+5511987654321', user_id: 'US.1' }],
  ['SMS', { phone: '+447700900999' }, { to: first, user_id: 'US.1' }],
  ['MESSAGING_APP', { phone: '+551187654321' }, { to: '+551187654321', user_id: null }],
  ['MESSAGING_APP', { phone: '+551187654321', user_id: 'US.2' }, { to: '+551187654321', user_id: 'US.2' }],
  ['MESSAGING_APP', { user_id: 'US.2' }, { to: null, user_id: 'US.2' }],
  ['MESSAGING_APP', { user_id: 'US.9' }, { to: first, user_id: 'US.1' }],
] as const)("%s in answer to %j goes there, as long as that is the customer's", (type, writer, recipient) => {
  expect(recipientOf(type, ada, wrote(writer))).toEqual(recipient);
});
