import type { CustomerIdentifier, OptOut } from '../api/types.ts';

export type Channel = OptOut['channel'];

/** By which channels machines may come to such an address. */
export const channelsOf: Record<CustomerIdentifier['kind'], readonly Channel[]> = {
  phone: ['SMS', 'MESSAGING_APP'],
  email: ['EMAIL'],
  user_id: ['MESSAGING_APP'],
};

/** Within a sentence. */
export const spoken: Record<Channel, string> = {
  MESSAGING_APP: 'the messaging app',
  EMAIL: 'e-mail',
  SMS: 'SMS',
};

/** The sources of the service, as the rest of a sentence about the customer. */
const optedOutBy: Record<OptOut['source'], string> = {
  words: 'wrote STOP',
  provider: 'told the provider',
  complaint: 'complained about a mail',
  staff: 'staff said so',
};

export const standingInWords = (channel: Channel, { source }: Pick<OptOut, 'source'>, day: string): string =>
  `Opted out of ${spoken[channel]}: ${optedOutBy[source]} on ${day}`;

/** One line of what was decided; whom it names comes from the caller. */
export function decisionInWords({ channel, opted_out, source, value, by }: OptOut, nameOf: (id: string) => string) {
  const where = value === null ? `${spoken[channel]}, all addresses` : `${spoken[channel]} to ${value}`;
  const what = opted_out ? 'Opted out of' : 'Opted in again to';
  if (source === 'staff') return `${what} ${where}: ${by === null ? 'staff' : nameOf(by)} said so`;
  return `${what} ${where}: ${opted_out ? optedOutBy[source] : source === 'words' ? 'wrote START' : 'told the provider'}`;
}
