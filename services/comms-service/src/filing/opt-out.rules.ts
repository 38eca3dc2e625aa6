import type { CommunicationType } from '@ops/contracts/resources/communication';

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

interface Said {
  type: CommunicationType;
  subject: string | null;
  body: string;
  automatic: boolean;
}

/**
 * Whether the customer asked not to be written to by machines, asked for it again, or said something else. The whole
 * message must be the word: "please stop by" is none. An e-mail without a text is its subject, as mail programs that
 * unsubscribe write it.
 */
export function optOutOf({ type, subject, body, automatic }: Said): boolean | null {
  if (automatic) return null;
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
