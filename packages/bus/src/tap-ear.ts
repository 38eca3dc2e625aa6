import { type Envelope, envelope } from '@ops/contracts/envelope';
import { reasonOf } from './errors.ts';
import type { BusLogger } from './logger.ts';
import type { TapListener } from './port.ts';

/** Hands a listener the events of its types, whatever else comes; a listener that throws must not cost the connection. */
export function createEar(listener: TapListener, types: readonly string[], logger: BusLogger) {
  const guarded = (tell: () => void) => {
    try {
      tell();
    } catch (error) {
      logger.error({ reason: reasonOf(error) }, 'a tap listener threw');
    }
  };
  return {
    hear(message: unknown): void {
      const parsed = envelope.safeParse(message);
      if (parsed.success && types.includes(parsed.data.type)) guarded(() => listener.event(parsed.data as Envelope));
    },
    reset: () => guarded(() => listener.reset()),
  };
}
