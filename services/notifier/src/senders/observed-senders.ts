import { failSpan, inSpan, SpanKind } from '@ops/bus/spans';
import type { OutsideType } from '@ops/contracts/resources/communication';
import { showGauge } from '@ops/service-kit/metrics';
import { Histogram, type Registry } from 'prom-client';
import type { Pace } from '../pacing/pacing.rules.ts';
import type { Outcome, Sender } from './sender.ts';

/** The same senders, which tell how long their providers take and what comes of it. */
export function observed<T extends Record<string, Sender | undefined>>(senders: T, registry: Registry): T {
  const duration = new Histogram({
    name: 'provider_send_duration_seconds',
    help: 'Time a provider took for a message, by what came of it',
    labelNames: ['provider', 'outcome'] as const,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
    registers: [registry],
  });
  const watch = (sender: Sender): Sender => ({
    ...sender,
    async send(message, attemptId) {
      const end = duration.startTimer({ provider: sender.provider });
      let outcome: Outcome['kind'] = 'uncertain';
      try {
        const came = await inSpan(`send ${sender.provider}`, { kind: SpanKind.CLIENT }, async (span) => {
          const result = await sender.send(message, attemptId);
          if (span && result.kind !== 'accepted') failSpan(span, result.kind);
          return result;
        });
        outcome = came.kind;
        return came;
      } finally {
        end({ outcome });
      }
    },
  });
  return Object.fromEntries(
    Object.entries(senders).map(([channel, sender]) => [channel, sender && watch(sender)]),
  ) as T;
}

/** Which providers are left alone after failures in a row. Each process finds out for itself. */
export function showLeftAlone(
  registry: Registry,
  senders: Partial<Record<OutsideType, Sender>>,
  paces: Record<OutsideType, Pick<Pace, 'leftAlone'>>,
): void {
  const help = 'Whether this process leaves the provider alone after failures in a row: 1, else 0';
  const channels = Object.keys(senders) as OutsideType[];
  showGauge(registry, { name: 'provider_left_alone', help, labelNames: ['provider'] }, () =>
    channels.flatMap((channel) => {
      const provider = senders[channel]?.provider;
      return provider ? [{ labels: { provider }, value: Number(paces[channel].leftAlone()) }] : [];
    }),
  );
}
