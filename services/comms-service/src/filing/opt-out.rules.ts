import type { Communication, CommunicationType, OutsideType } from '@ops/contracts/resources/communication';
import type { Customer, OptOutSource } from '@ops/contracts/resources/customer';
import { identifiersOf, keyOf, type SenderIdentifier, writtenAs } from './matching.rules.ts';

/** The words SMS carriers and providers act upon, and what the same is called where customers write in other languages. */
const OUT = new Set([
  'STOP',
  'STOPALL',
  'STOP ALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'OPTOUT',
  'OPT OUT',
  'OPT-OUT',
  'REVOKE',
  'STOPP',
  'ABMELDEN',
  'ARRET',
  'ARRÊT',
  'DESABONNER',
  'DÉSABONNER',
  'BAJA',
  'PARAR',
  'SAIR',
  'СТОП',
]);
const IN = new Set(['START', 'UNSTOP']);

type Words = Pick<Communication, 'type' | 'subject' | 'body'>;

/**
 * Whether the customer asked not to be written to by machines, asked for it again, or said something else. The whole
 * message must be the word: "please stop by" is none. An e-mail without a text is its subject, as mail programs that
 * unsubscribe write it.
 */
export function optOutOf({ type, subject, body }: Words): boolean | null {
  const text = type === 'EMAIL' && body.trim() === '' ? (subject ?? '') : body;
  const word = text
    .trim()
    .replace(/[.!]+$/, '')
    .trim()
    .replace(/\s+/g, ' ')
    .normalize('NFC')
    .toUpperCase();
  if (OUT.has(word)) return true;
  return IN.has(word) ? false : null;
}

/** A decision as it is kept, a row for each address it is about; the columns have the same names. */
export interface OptOutRow {
  id: string;
  /** An identifier with its kind before it. Empty: all addresses that the customer has on the channel. */
  address: string;
  communication_id: string | null;
  customer_id: string | null;
  channel: CommunicationType;
  opted_out: boolean;
  source: OptOutSource;
  decided_at: string;
  actor: string | null;
  reason: string | null;
}

/** A message that came in, by a provider or written down by one of us. */
export interface Said extends Words, Pick<Communication, 'id' | 'automatic' | 'occurred_at'> {
  customer_id: string | null;
  /** What the provider says of its sender; nothing of what no provider brought. */
  told?: { opted_out: boolean | null; sender: Parameters<typeof identifiersOf>[0] };
}

/** Only what a person wrote to us decides for them. */
const mayDecide = ({ automatic }: Said): boolean => !automatic;

/** What the provider says counts before the words: a firm may have chosen keywords of its own there. */
export function decisionOf(said: Said): OptOutRow[] {
  if (!mayDecide(said)) return [];
  const words = optOutOf(said);
  const opted_out = said.told?.opted_out ?? words;
  if (opted_out === null) return [];
  const { id, customer_id, type: channel, occurred_at: decided_at, told } = said;
  const source = words === opted_out ? 'words' : 'provider';
  const decision = { id, communication_id: id, customer_id, channel, opted_out, source, decided_at } as const;
  return rowsOf(decision, told ? identifiersOf(told.sender) : []);
}

type Decision = Omit<OptOutRow, 'address' | 'actor' | 'reason'> & Partial<Pick<OptOutRow, 'actor' | 'reason'>>;

/** In every way of writing the address, so that whoever has it in one of them is found. Without one: the customer's. */
export function rowsOf(decision: Decision, identifiers: readonly SenderIdentifier[]): OptOutRow[] {
  const reached = identifiers.filter(({ kind }) => goesTo(kind, decision.channel));
  const addresses = reached.flatMap(writtenAs).map(({ kind, value }) => `${kind}:${value}`);
  const written = addresses.length > 0 ? addresses : [''];
  return written.map((address) => ({ actor: null, reason: null, ...decision, address }));
}

/** The other way round; null where it is about all addresses. */
export function identifierIn(address: string): SenderIdentifier | null {
  const colon = address.indexOf(':');
  if (colon < 0) return null;
  return { kind: address.slice(0, colon) as SenderIdentifier['kind'], value: address.slice(colon + 1) };
}

/** The identifier that is meant by where a message went. */
export function identifierAt(channel: CommunicationType, address: string): SenderIdentifier[] {
  const kind = channel === 'EMAIL' ? 'email' : address.startsWith('+') ? 'phone' : 'user_id';
  return identifiersOf({ phone: null, email: null, user_id: null, [kind]: address });
}

const channelsOf: Record<SenderIdentifier['kind'], readonly CommunicationType[]> = {
  phone: ['MESSAGING_APP', 'SMS'],
  email: ['EMAIL'],
  user_id: ['MESSAGING_APP'],
};

export const goesTo = (kind: SenderIdentifier['kind'], channel: CommunicationType): boolean =>
  channelsOf[kind].includes(channel);

/** Nor does a machine write to another address because the primary one opted out. */
export const wantsNoMachines = (
  { opted_out, identifiers }: Pick<Customer, 'opted_out' | 'identifiers'>,
  channel: OutsideType,
  { to, user_id }: { to: string | null; user_id: string | null },
): boolean => {
  const addressed = [to, user_id]
    .flatMap((address) => (address === null ? [] : identifierAt(channel, address)))
    .map(keyOf);
  return (
    opted_out.includes(channel) || identifiers.some((one) => one.opted_out[channel] && addressed.includes(keyOf(one)))
  );
};
