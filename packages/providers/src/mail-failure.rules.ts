import type { Failure } from '@ops/contracts/resources/communication';

/** What a mail server said of a mail, at once or in a report. */
interface Told {
  /** A reply code of SMTP, if it is known by itself. */
  code?: number;
  /** A status code of RFC 3463, if it is known by itself. */
  status?: string | undefined;
  words: string | undefined;
}

/** Why a mail was not delivered, in our words: anybody may write those of a mail server, and staff would read them as ours. */
export function mailFailure({ code, status, words = '' }: Told): Failure {
  const reply = code === undefined ? /\b[45]\d\d\b/.exec(words)?.[0] : String(code);
  const enhanced = statusIn(status) ?? statusIn(words);
  const isForNow = (reply ?? enhanced ?? '').startsWith('4');
  const message =
    isForNow && greylisting.test(words)
      ? 'The mail server keeps mail waiting from senders it does not know yet'
      : (sentenceOf(unlessPlainer(enhanced, reply), byStatus) ??
        sentenceOf(reply, byReply) ??
        'The mail server did not deliver it');
  return { code: `smtp:${reply ?? enhanced ?? 'unknown'}`, message };
}

/** No part of an address such as 5.1.1.7. */
const statusIn = (text: string | undefined): string | undefined =>
  /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(text ?? '')?.[0];

/** Replies that say more than the status beside them: that a login failed, or, of a server that did answer, whom it refuses. */
const plainer: readonly [reply: RegExp, status: RegExp][] = [
  [/^53[0458]$/, /^5\.7\./],
  [/^550$/, /^5\.4\.1$/],
];

const unlessPlainer = (status = '', reply = ''): string =>
  plainer.some(([one, other]) => one.test(reply) && other.test(status)) ? '' : status;

const sentenceOf = (code = '', table: readonly [RegExp, string][]): string | undefined =>
  table.find(([pattern]) => pattern.test(code))?.[1];

/** It has no code of its own. */
const greylisting = /gr[ae]y-?list/i;

const noMailbox = 'There is no such mailbox';
const noLogin = 'The mail server does not accept our login';
const notAsSender = 'The mail server does not allow our address as a sender';

/** The first that fits. */
const byStatus: [RegExp, string][] = [
  [/^5\.1\.(?:1|10)$/, noMailbox],
  [/^.\.1\.2$/, 'There is no mail server for that address'],
  [/^.\.1\.3$/, 'The address is not written as one is'],
  [/^.\.1\.6$/, 'The mailbox has moved'],
  [/^.\.1\.[78]$/, notAsSender],
  [/^.\.1\./, 'The mail server does not know the address'],
  [/^.\.2\.1$/, 'The mailbox takes no mail'],
  [/^.\.2\.2$/, 'The mailbox is full'],
  [/^.\.(?:2\.3|3\.4)$/, 'The mail is too large for that mailbox'],
  [/^.\.3\.1$/, 'The mail server has no room'],
  [/^.\.3\.2$/, 'The mail server takes no mail at the moment'],
  [/^.\.4\./, 'The mail server of that address could not be reached'],
  [/^.\.6\./, 'The mail server cannot handle this kind of mail'],
  [/^.\.7\.(?:8|9|57)$/, noLogin],
  [/^.\.7\.60$/, notAsSender],
  [/^.\.7\.2[0-7]$/, 'The mail server doubts that the mail is from us'],
  [/^.\.7\./, 'The mail server refused it by its rules, perhaps as spam'],
];

const byReply: [RegExp, string][] = [
  [/^421$/, 'The mail server takes no mail at the moment'],
  [/^450$/, 'The mailbox is not to be reached at the moment'],
  [/^45[14]$/, 'The mail server is in trouble at the moment'],
  [/^452$/, 'The mail server has no room at the moment'],
  [/^53[0458]$/, noLogin],
  [/^550$/, 'There is no such mailbox, or it takes no mail from us'],
  [/^551$/, 'The mailbox has moved'],
  [/^552$/, 'The mailbox is full, or the mail too large for it'],
  [/^553$/, 'The mail server does not allow one of the addresses'],
  [/^55[46]$/, 'The mail server refused it'],
];
