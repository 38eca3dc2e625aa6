import { z } from 'zod';
import { channel, type Fate, type ReceiptStatus } from './message.ts';
import { seededRandom } from './random.ts';

const rate = z.number().min(0).max(1).default(0);
const codes = z.record(z.string(), z.int()).default({});

/** What goes wrong on demand, and how often; nothing by default. Each new set starts its chances from the seed again. */
export const faultSettings = z.strictObject({
  seed: z.int().default(1),
  /** Whose sending goes wrong. */
  channels: z.array(channel).default([...channel.options]),
  /** Refused with a server error, and not taken. */
  fail_rate: rate,
  fail_status: z.int().min(500).max(599).default(500),
  /** Refused for coming too fast. */
  throttle_rate: rate,
  retry_after: z.int().min(0).default(1),
  /** Never answered, and not taken. */
  hang_rate: rate,
  /** Taken, and the connection cut instead of an answer. */
  cut_rate: rate,
  delay_rate: rate,
  delay_ms: z.int().min(0).default(1000),
  receipt_duplicate_rate: rate,
  receipt_reorder_rate: rate,
  receipt_drop_rate: rate,
  /** The receipts arrive before the answer to the send. */
  receipt_early_rate: rate,
  /** What people write reaches the firm twice. */
  inbound_duplicate_rate: rate,
  /** Messages that are looked at as soon as they arrive. */
  read_rate: rate,
  /** By address, the provider's code: refused at once. */
  refused: codes,
  /** By address, the provider's code: taken, and failed afterwards. */
  undeliverable: codes,
});
export type FaultSettings = z.infer<typeof faultSettings>;

export interface Faults {
  settings(): FaultSettings;
  set(settings: FaultSettings): void;
  fate(of: z.infer<typeof channel>): Fate;
  /** The same receipts as they set off: some twice, some not at all, some in another order. */
  disturb<T>(receipts: readonly T[]): T[];
  early(): boolean;
  /** How often what somebody wrote sets off. */
  inboundCopies(): number;
  readAtOnce(): boolean;
}

export function createFaults(): Faults {
  let settings = faultSettings.parse({});
  let random = seededRandom(settings.seed);
  const happens = (chance: number) => chance > 0 && random() < chance;
  return {
    settings: () => settings,
    set: (next) => {
      settings = next;
      random = seededRandom(next.seed);
    },
    fate: (of) => (settings.channels.includes(of) ? fateAt(settings, random()) : 'taken'),
    disturb: (receipts) => {
      const left = receipts.filter(() => !happens(settings.receipt_drop_rate));
      const copied = left.flatMap((one) => (happens(settings.receipt_duplicate_rate) ? [one, one] : [one]));
      return happens(settings.receipt_reorder_rate) ? shuffled(copied, random) : copied;
    },
    early: () => happens(settings.receipt_early_rate),
    inboundCopies: () => (happens(settings.inbound_duplicate_rate) ? 2 : 1),
    readAtOnce: () => happens(settings.read_rate),
  };
}

/** One draw decides, so that the rates add up. */
export function fateAt(settings: FaultSettings, draw: number): Fate {
  let upTo = 0;
  for (const fate of ['fail', 'throttle', 'hang', 'cut', 'delay'] as const) {
    upTo += settings[`${fate}_rate`];
    if (draw < upTo) return fate;
  }
  return 'taken';
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** What a provider tells of a message it took. */
export const receiptsOf = (undeliverable: boolean, readAtOnce: boolean): ReceiptStatus[] =>
  undeliverable ? ['failed'] : ['sent', 'delivered', ...(readAtOnce ? (['read'] as const) : [])];
