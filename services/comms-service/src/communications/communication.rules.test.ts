import { expect, test } from '@jest/globals';
import { communicationType, createCommunication, direction, isInternal } from '@ops/contracts/resources/communication';
import { roles } from '@ops/contracts/roles';
import { sampleRecord } from '../../test/record.ts';
import {
  decideMove,
  mayJoin,
  mayShare,
  mayStrike,
  mayWrite,
  newRecord,
  shownTo,
  typeOfFilter,
  type Wanted,
} from './communication.rules.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const nothing = { in_reply_to: null, subject: null, renewal_ids: [] };
const staff = { sub: 'agent-1', role: 'staff' } as const;

const pairs = communicationType.options.flatMap((type) => direction.options.map((way) => [type, way] as const));

test.each(pairs)('%s with %s starts in the state of its direction, or is refused', (type, way) => {
  const posted = { type, direction: way, body: 'Hello', ...(type === 'CALL_LOG' && { subject: 'A call' }) };
  const parsed = createCommunication.safeParse(posted);
  expect(parsed.success).toBe((way === 'INTERNAL') === isInternal(type));
  if (!parsed.success) return;
  const status = { INBOUND: 'RECEIVED', OUTBOUND: 'QUEUED', INTERNAL: 'LOGGED' }[way];
  expect(newRecord('id', 'C-1', parsed.data, nothing, staff, now)).toMatchObject({ type, direction: way, status });
});

test('an inbound record is unread, received now, and has no author of ours', () => {
  const inbound = newRecord('id', 'C-1', { type: 'SMS', direction: 'INBOUND', body: 'Hello' }, nothing, staff, now);
  expect(inbound).toMatchObject({ unread: true, received_at: now, author: null, created_by: 'agent-1' });
});

test.each([
  ['EMAIL', 'OUTBOUND'],
  ['INTERNAL_NOTE', 'INTERNAL'],
] as const)('%s %s is read and has its author', (type, way) => {
  const ours = newRecord('id', 'C-1', { type, direction: way, body: 'Hello' }, nothing, staff, now);
  expect(ours).toMatchObject({ unread: false, received_at: null, author: 'agent-1' });
});

test('notes and calls are written by staff and admin alone', () => {
  for (const role of roles)
    for (const type of communicationType.options)
      expect(mayWrite({ sub: 'someone', role }, type)).toBe(
        role === 'staff' || role === 'admin' || !['INTERNAL_NOTE', 'CALL_LOG'].includes(type),
      );
});

test.each([
  ['INBOUND', 'C-2', 'move'],
  ['INTERNAL', 'C-2', 'move'],
  ['OUTBOUND', 'C-2', 'sent'],
  ['OUTBOUND', 'C-1', 'same'],
  ['INBOUND', 'C-1', 'same'],
] as const)('%s of C-1 refiled to %s: %s', (way, target, decision) => {
  expect(decideMove(sampleRecord({ direction: way }), target)).toBe(decision);
});

const wanted: Wanted = {
  customerId: 'C-1',
  input: { type: 'SMS', direction: 'INBOUND', body: 'Hello' },
  actor: staff,
};

test.each<[string, boolean, object, object?]>([
  ['of a customer', true, {}],
  ['that answers', true, { direction: 'OUTBOUND', in_reply_to: '0197d3a0-0000-7000-8000-000000000000' }],
  ['of a program', false, {}, { actor: { sub: 'crm', role: 'automation' } }],
  ['with a file', false, { attachments: ['0197d3a0-0000-7000-8000-000000000000'] }],
  ['that names a colleague', false, { type: 'INTERNAL_NOTE', direction: 'INTERNAL', mentions: ['agent-2'] }],
  ['that is long', false, { body: 'Hello, '.repeat(3_000) }],
  ['with a STOP', false, { body: ' stop. ' }],
  ['with a START in the subject of an empty mail', false, { type: 'EMAIL', subject: 'Start', body: '' }],
])('a message %s may be written with others: %s', (_, may, input, rest = {}) => {
  expect(mayShare({ ...wanted, input: { ...wanted.input, ...input }, ...rest })).toBe(may);
});

test('those that are written together are each of another customer', () => {
  const others = ['C-1', 'C-2'].map((customerId) => ({ ...wanted, customerId }));
  expect(['C-1', 'C-2', 'C-3'].map((customerId) => mayJoin(others, { ...wanted, customerId }))).toEqual([
    false,
    false,
    true,
  ]);
});

test.each(communicationType.options)('%s is struck only if it is a note or a call log', (type) => {
  expect(mayStrike(sampleRecord({ type }))).toBe(type === 'INTERNAL_NOTE' || type === 'CALL_LOG');
});

test('the tabs show the types of the specification', () => {
  const tabs = ['all', 'messaging_app', 'email', 'notes'] as const;
  expect(tabs.map(typeOfFilter)).toEqual([null, 'MESSAGING_APP', 'EMAIL', 'INTERNAL_NOTE']);
});

test('a customer is told neither the author nor what went wrong; everybody else is', () => {
  const failure = { code: 'gone', message: 'The provider does not have the file' };
  const file = { id: 'f', name: 'a.pdf', media_type: 'application/pdf', size: 1, content_id: null } as const;
  const failed = sampleRecord({ attachments: [{ ...file, state: 'FAILED', failure }] });
  const shown = { ...failed, author: null, failure: null, attachments: [{ ...file, state: 'FAILED', failure: null }] };
  for (const role of roles) expect(shownTo({ sub: 'C-1', role }, failed)).toEqual(role === 'customer' ? shown : failed);
});
