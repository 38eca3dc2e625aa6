import { expect, test } from '@jest/globals';
import { mailFailure } from './mail-failure.rules.ts';
import { messagingFailure } from './messaging-failure.rules.ts';
import { smsFailure } from './sms-failure.rules.ts';

const unexplained = 'The mail server did not deliver it';

test.each([
  ['550 5.1.1 <a@example.com>: user unknown', 'smtp:550', 'There is no such mailbox'],
  ['550 No such user here', 'smtp:550', 'There is no such mailbox, or it takes no mail from us'],
  ['550 5.4.1 rejected: access denied', 'smtp:550', 'There is no such mailbox, or it takes no mail from us'],
  ['5.4.1 no answer', 'smtp:5.4.1', 'The mail server of that address could not be reached'],
  ['552 5.2.2 over quota', 'smtp:552', 'The mailbox is full'],
  ['452 4.2.2 over quota', 'smtp:452', 'The mailbox is full'],
  ['552 size limit', 'smtp:552', 'The mailbox is full, or the mail too large for it'],
  ['552 5.3.4 too big', 'smtp:552', 'The mail is too large for that mailbox'],
  ['554 5.7.1 looks like spam', 'smtp:554', 'The mail server refused it by its rules, perhaps as spam'],
  ['550 5.7.26 unauthenticated', 'smtp:550', 'The mail server doubts that the mail is from us'],
  ['550 5.7.60 SMTP; not as this sender', 'smtp:550', 'The mail server does not allow our address as a sender'],
  ['553 not you', 'smtp:553', 'The mail server does not allow one of the addresses'],
  ['535 5.7.8 wrong password', 'smtp:535', 'The mail server does not accept our login'],
  ['535 5.7.3 unsuccessful', 'smtp:535', 'The mail server does not accept our login'],
  ['535 5.7.139 switched off', 'smtp:535', 'The mail server does not accept our login'],
  ['530 5.7.0 log in first', 'smtp:530', 'The mail server does not accept our login'],
  ['530 5.7.1 no client of ours', 'smtp:530', 'The mail server does not accept our login'],
  ['450 greylisted, see you', 'smtp:450', 'The mail server keeps mail waiting from senders it does not know yet'],
  ['451 4.7.1 gray-listing', 'smtp:451', 'The mail server keeps mail waiting from senders it does not know yet'],
  ['554 5.7.1 no greylisting here', 'smtp:554', 'The mail server refused it by its rules, perhaps as spam'],
  ['421 4.3.2 stopping', 'smtp:421', 'The mail server takes no mail at the moment'],
  ['421 busy', 'smtp:421', 'The mail server takes no mail at the moment'],
  ['450 later', 'smtp:450', 'The mailbox is not to be reached at the moment'],
  ['451 later', 'smtp:451', 'The mail server is in trouble at the moment'],
  ['554 blocked: 5.1.1.7', 'smtp:554', 'The mail server refused it'],
  ['554 from 185.4.2.2', 'smtp:554', 'The mail server refused it'],
  ['599 what', 'smtp:599', unexplained],
  ['', 'smtp:unknown', unexplained],
])('a mail server that says %j', (words, code, message) => {
  expect(mailFailure({ words })).toEqual({ code, message });
});

test('a code known by itself counts before what the words hold', () => {
  expect(mailFailure({ status: '5.2.2', words: '550 5.1.1 no' }).message).toBe('The mailbox is full');
  expect(mailFailure({ code: 554, words: 'no' }).code).toBe('smtp:554');
  expect(mailFailure({ status: '5.1.1', words: 'no box 535' }).message).toBe('There is no such mailbox');
});

test('an SMS, by the provider’s code; its words only beside ours', () => {
  const message = 'The number is of a telephone that takes no SMS';
  expect(smsFailure('30006', 'Landline or unreachable carrier')).toEqual({
    code: 'twilio:30006',
    message,
    detail: 'Landline or unreachable carrier',
  });
  expect(smsFailure('30006')).toEqual({ code: 'twilio:30006', message });
  expect(smsFailure('99', 'Boo')).toMatchObject({ message: 'The provider did not deliver it', detail: 'Boo' });
  expect(smsFailure(undefined, ' ')).toEqual({ code: 'twilio:unknown', message: 'The provider did not deliver it' });
});

test('a message of the messaging app, by the provider’s code; its words only beside ours', () => {
  expect(messagingFailure('131026', 'Message undeliverable')).toEqual({
    code: 'cloud-api:131026',
    message: 'The number does not use the messaging app, or cannot take this message there',
    detail: 'Message undeliverable',
  });
  expect(messagingFailure('constructor', 'x')).toMatchObject({ message: 'The provider did not deliver it' });
});
