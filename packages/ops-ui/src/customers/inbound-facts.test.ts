import { expect, test } from '@jest/globals';
import type { Communication } from '../api/types.ts';
import { answersTo, machineWords, writtenTo } from './inbound-facts.ts';

const record = (given: Partial<Communication> = {}): Communication =>
  ({
    automatic: false,
    attachments: [],
    recipient: null,
    reply_to: null,
    sender_verified: null,
    ...given,
  }) as unknown as Communication;
const withFile = (media_type: string) => record({ automatic: true, attachments: [{ media_type }] as never });

test('what a machine wrote is called what it is', () => {
  expect(machineWords(record())).toBeNull();
  expect(machineWords(record({ automatic: true }))).toBe('Automatic message');
  expect(machineWords(withFile('message/delivery-status'))).toBe('Delivery report');
  expect(machineWords(withFile('message/disposition-notification'))).toBe('Read receipt');
});

test('the mailbox is shown as people know it', () => {
  expect(writtenTo(record())).toBeNull();
  expect(writtenTo(record({ recipient: 'office@firm.example' }))).toBe('office@firm.example');
  const recipient = 'office+0123456789abcdef0123456789ABCDEF@firm.example';
  expect(writtenTo(record({ recipient }))).toBe('office@firm.example');
});

test('answers go where their writer wants them, unless somebody probably wrote in their name', () => {
  expect(answersTo(record({ reply_to: 'desk@work.example', sender_verified: 'unknown' }))).toBe('desk@work.example');
  expect(answersTo(record({ reply_to: 'eve@evil.example', sender_verified: 'fail' }))).toBeNull();
});
