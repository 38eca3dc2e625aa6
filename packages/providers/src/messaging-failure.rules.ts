import type { Failure } from '@ops/contracts/resources/communication';
import { detailed } from './detailed.rules.ts';

/** Why a message of the messaging app was not sent, or not delivered, by Meta's code; what Meta says itself is kept beside it. */
export const messagingFailure = (code: string | undefined, said?: string): Failure => ({
  code: `cloud-api:${code ?? 'unknown'}`,
  message: sentences.get(code ?? '') ?? 'The provider did not deliver it',
  ...detailed(said),
});

const noAccess = 'The provider does not accept our access';
const restricted = 'The provider has restricted our account';
const tooMany = 'The provider takes no more from us at the moment';
const inTrouble = 'The provider is in trouble';
const wrongTemplate = 'The message does not fit its template';
const noTemplate = 'The provider has no such template, or does not allow it';

const sentences: ReadonlyMap<string, string> = new Map([
  ['0', noAccess],
  ['3', noAccess],
  ['4', tooMany],
  ['10', noAccess],
  ['100', 'The provider did not understand the message'],
  ['190', noAccess],
  ['200', noAccess],
  ['368', restricted],
  ['80007', tooMany],
  ['130429', tooMany],
  ['130472', 'The provider leaves that number out of what businesses send, as an experiment'],
  ['130497', 'Our account may not write to that country'],
  ['131000', inTrouble],
  ['131005', noAccess],
  ['131008', 'The provider did not understand the message'],
  ['131009', 'The provider did not understand the message'],
  ['131016', inTrouble],
  ['131021', 'The number is our own'],
  ['131026', 'The number does not use the messaging app, or cannot take this message there'],
  ['131030', 'Our account is on trial and may not write to that number'],
  ['131031', restricted],
  ['131042', 'The provider has no payment for our account'],
  ['131045', 'Our number is not registered with the provider'],
  ['131047', 'More than 24 hours have passed since the customer wrote: only a template may be sent'],
  ['131048', 'The provider holds our messages back, since too many were blocked or taken for spam'],
  ['131049', 'The provider held it back, so that the customer does not get too many of its kind'],
  ['131050', 'The customer has stopped such messages from us'],
  ['131051', 'The provider does not send this kind of message'],
  ['131052', 'The provider could not fetch the file'],
  ['131053', 'The provider does not take the file'],
  ['131056', 'Too many messages went to this customer at once'],
  ['131057', 'The provider is working on our account'],
  ['132000', wrongTemplate],
  ['132001', noTemplate],
  ['132005', 'The message is too long for its template'],
  ['132007', noTemplate],
  ['132012', wrongTemplate],
  ['132015', 'The provider has paused the template'],
  ['132016', 'The provider has disabled the template'],
  ['133010', 'Our number is not registered with the provider'],
]);
