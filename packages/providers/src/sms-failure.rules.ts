import type { Failure } from '@ops/contracts/resources/communication';
import { detailed } from './detailed.rules.ts';

/** Why an SMS was not sent, or not delivered, by Twilio's code; what Twilio says itself is kept beside it. */
export const smsFailure = (code: string | undefined, said?: string): Failure => ({
  code: `twilio:${code ?? 'unknown'}`,
  message: sentences.get(code ?? '') ?? 'The provider did not deliver it',
  ...detailed(said),
});

const noNumber = 'The number cannot be written to: it is none, or in no use';
const noMobile = 'The number is of a telephone that takes no SMS';
const notOurs = 'The provider does not allow our number as a sender';
const noAccess = 'The provider does not accept our account';
const tooMany = 'The provider has too much to send for us';
const filtered = 'The mobile network refused it by its rules, perhaps as spam';

const sentences: ReadonlyMap<string, string> = new Map([
  ['20003', noAccess],
  ['20429', tooMany],
  ['21211', noNumber],
  ['21212', notOurs],
  ['21214', noNumber],
  ['21408', 'Our account may not send to that country'],
  ['21606', notOurs],
  ['21608', 'Our account is on trial and may not write to that number'],
  ['21610', 'Whoever has that number wants no SMS from us'],
  ['21611', tooMany],
  ['21612', 'From our number no SMS reaches that number'],
  ['21614', noMobile],
  ['21617', 'The SMS is too long'],
  ['21635', noMobile],
  ['21659', notOurs],
  ['21660', notOurs],
  ['21661', notOurs],
  ['30001', tooMany],
  ['30002', 'Our account with the provider is suspended'],
  ['30003', 'The telephone cannot be reached: it is off, without a network, or takes no SMS'],
  ['30004', 'The number takes no SMS from us: its owner or network blocks them'],
  ['30005', noNumber],
  ['30006', noMobile],
  ['30007', filtered],
  ['30008', 'The mobile network does not say why'],
  ['30034', 'The mobile network does not know our number as a registered sender'],
]);
