import type { ComingAlert, RenewalDetail } from '../api/types.ts';
import { alertInWords } from './rung-names.ts';

type Sequence = NonNullable<RenewalDetail['sequence']>;
type Deed = Pick<Sequence['steps'][number], 'channels' | 'task'>;

const channelWords = { MESSAGING_APP: 'messaging app', EMAIL: 'e-mail', SMS: 'SMS' };

/** What a step does, as in "e-mail", "messaging app, else SMS" or "call". */
export function deedInWords({ channels, task }: Deed): string {
  const message = channels.map((channel) => channelWords[channel]);
  return [message.join(', else '), task && 'call'].filter(Boolean).join(' and ');
}

const ends: Record<NonNullable<Sequence['ended']>, string> = {
  later_step: 'a later step went in its place',
  next_rung: 'the next rung was reached',
  answered: 'the customer answered',
  started: 'somebody started',
  acknowledged: 'somebody looks after it',
  moved: 'the date was moved',
  closed: 'the renewal is over',
};

export const skippedBecause = (because: Sequence['ended']): string => (because === null ? 'skipped' : ends[because]);

/** What is to come, as in "30-day alert" or "60-day alert, step 2: messaging app, else SMS". */
export function comingInWords({ rung, step, does }: ComingAlert): string {
  if (does) return `${alertInWords(rung)}, step ${step}: ${deedInWords(does)}`;
  if (step === 'customer_known') return `${alertInWords(rung)}, now that the customer is known`;
  return step === '0' ? alertInWords(rung) : `${alertInWords(rung)}, once nothing holds it`;
}

/** Which message of its rung an alert is; empty: the alert itself. */
export function stepInWords(step: string): string {
  if (step.startsWith('after_hold')) return 'when nothing held it any more';
  if (step === 'customer_known') return 'when the customer was known';
  return step === '0' ? '' : `step ${step} after it`;
}
