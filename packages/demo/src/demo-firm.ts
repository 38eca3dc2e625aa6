import type { CreateCommunication, OutsideType } from '@ops/contracts/resources/communication';
import type { PutCustomer } from '@ops/contracts/resources/customer';
import type { CancelRenewal, CreateRenewal } from '@ops/contracts/resources/renewal';
import type { CreateTask } from '@ops/contracts/resources/task';

/** Due so many days from the day it is put in. */
export interface DemoRenewal extends Omit<CreateRenewal, 'due_date'> {
  in_days: number;
  ends?: 'completed' | 'started' | NonNullable<CancelRenewal['reason']>;
}

/** What a customer wrote so many hours ago. */
export interface DemoLetter {
  channel: OutsideType;
  hours_ago: number;
  subject?: string;
  text: string;
  file?: 'photo' | 'letter';
}

export interface FirmCustomer {
  id: string;
  customer: Partial<PutCustomer> & { name: string };
  /** One of each service type at most. */
  renewals: DemoRenewal[];
  letters: DemoLetter[];
  /** What the firm has written since, and noted. */
  communications: CreateCommunication[];
  tasks: Omit<CreateTask, 'customer_id'>[];
}

const services = ['RESIDENCE_PERMIT', 'WORK_PERMIT', 'INSURANCE_POLICY'] as const;
const agents = ['demo-staff', 'demo-admin', 'demo-colleague', null];
const channels = ['MESSAGING_APP', 'EMAIL', 'SMS'] as const;
const places = [
  { locale: 'en', time_zone: 'Europe/London' },
  { locale: 'de-CH', time_zone: 'Europe/Zurich' },
  { locale: 'en', time_zone: 'America/New_York' },
] as const;

const questions = {
  en: [
    'Good morning, is there anything I still have to send you?',
    'My employer asks when the new permit comes.',
    'I moved last week. Do you need the new address?',
    'Could you call me about the policy?',
    'I cannot find the form you wrote about.',
    'Is my permit still good if I travel in two weeks?',
  ],
  'de-CH': [
    'Guten Tag, brauchen Sie noch etwas von mir?',
    'Mein Arbeitgeber fragt, wann die neue Bewilligung kommt.',
    'Ich bin umgezogen. Brauchen Sie die neue Adresse?',
    'Könnten Sie mich wegen der Police anrufen?',
    'Ich finde das Formular nicht, von dem Sie schrieben.',
    'Gilt meine Bewilligung noch, wenn ich in zwei Wochen reise?',
  ],
} as const;
const answers = {
  en: 'Thank you for asking. We look at it today and write to you by tomorrow.',
  'de-CH': 'Danke für Ihre Frage. Wir sehen es heute an und schreiben Ihnen bis morgen.',
} as const;

const byHand: Omit<CreateTask, 'customer_id'>[] = [
  { title: 'Ask the employer for the contract', priority: 'HIGH', assigned_agent: 'demo-staff' },
  { title: 'Book the appointment at the office', priority: 'NORMAL', assigned_agent: 'demo-colleague' },
  { title: 'Check the new address', priority: 'NORMAL' },
];

/** The nth of a list, from the start again after its end. */
const nth = <T>(all: readonly T[], n: number): T => all[Math.floor(n) % all.length] as T;

/** Beside the few that are there at once: so many that lists, charts and pages show what they are for. */
export const firmCustomers: readonly FirmCustomer[] = Array.from({ length: 56 }, (_, n) => firmCustomer(n));

/** People who write, and whom nobody knows. */
export const strangers = [
  { name: 'Demo Stranger', phone: '+447700900081', text: 'Do you also help with work permits?' },
  { name: 'Demo Advertiser', phone: '+447700900082', text: 'Win a prize: answer YES' },
];

function firmCustomer(n: number): FirmCustomer {
  const number = n + 5;
  const place = nth(places, n);
  const customer = {
    name: `Demo Customer ${number}`,
    phones: [`+44 7700 9000${String(number).padStart(2, '0')}`],
    emails: n % 9 === 4 ? [] : [`customer-${number}@example.com`],
    ...place,
    preferred_channel: n % 4 === 3 ? null : nth(channels, n),
    assigned_agent: nth(agents, n),
  };
  const renewals = Array.from({ length: nth([3, 2, 2, 3, 2], n) - (n === 55 ? 1 : 0) }, (_, k) => firmRenewal(n, k));
  return {
    id: `C-10${String(number).padStart(2, '0')}`,
    customer,
    renewals,
    letters: lettersOf(n, place.locale),
    communications: n % 2 === 0 ? saidBy(n, place.locale) : [],
    tasks: n % 10 === 3 ? [nth(byHand, n / 10)] : [],
  };
}

/** Most are far away, some are near, and of those that were due some ended late or not at all. */
function firmRenewal(n: number, k: number): DemoRenewal {
  const i = n * 3 + k;
  const service_type = nth(services, i);
  const policy = service_type === 'INSURANCE_POLICY' ? { policy_id: `DEMO-POLICY-${n + 5}` } : {};
  const agent = k === 2 ? { assigned_agent: 'demo-admin' } : {};
  return { service_type, ...policy, ...agent, ...whenDue(n + k * 7) };
}

function whenDue(i: number): Pick<DemoRenewal, 'in_days' | 'ends'> {
  const turn = i % 12;
  if (turn === 0) {
    const ends = nth(['completed', undefined, 'lost', 'completed', 'started', 'not_needed'] as const, i / 12);
    return { in_days: -1 - (((i / 12) * 5) % 28), ...(ends && { ends }) };
  }
  if (turn <= 2) return { in_days: (i * 11) % 31, ...(turn === 2 && { ends: 'started' }) };
  if (turn <= 5) return { in_days: 31 + ((i * 13) % 60) };
  return { in_days: 91 + ((i * 29) % 275) };
}

/** Every second one wrote, from an hour to a week ago. */
function lettersOf(n: number, locale: keyof typeof questions): DemoLetter[] {
  if (n % 2 === 1) return [];
  const ask = (more: number) => nth(questions[locale], n / 2 + more);
  const channel = n % 9 === 4 ? 'MESSAGING_APP' : nth(channels, n / 2);
  const letter = (hours_ago: number, more: number): DemoLetter => ({
    channel,
    hours_ago,
    text: ask(more),
    ...(channel === 'EMAIL' && { subject: locale === 'en' ? 'A question' : 'Eine Frage' }),
  });
  const first = letter(30 + ((n * 7) % 130), 0);
  if (n % 4 !== 0) return [first];
  const last = letter(1 + ((n * 5) % 20), 1);
  if (channel === 'SMS') return [first, last];
  return [first, { ...last, file: channel === 'EMAIL' ? 'letter' : 'photo' }];
}

/** Half of those who wrote are answered; of some there is something to know. */
function saidBy(n: number, locale: keyof typeof answers): CreateCommunication[] {
  const channel = n % 9 === 4 ? 'MESSAGING_APP' : nth(channels, n / 2);
  const subject = channel === 'EMAIL' ? { subject: locale === 'en' ? 'Your question' : 'Ihre Frage' } : {};
  const answer = { type: channel, direction: 'OUTBOUND', body: answers[locale], ...subject } as const;
  const note = { type: 'INTERNAL_NOTE', direction: 'INTERNAL', body: 'Likes to be called in the morning.' } as const;
  const call = {
    type: 'CALL_LOG',
    direction: 'INTERNAL',
    subject: 'Papers',
    body: 'Told which papers the office asks for.',
  } as const;
  return [...(n % 6 === 0 ? [note] : []), ...(n % 10 === 0 ? [call] : []), ...(n % 8 === 0 ? [answer] : [])];
}
