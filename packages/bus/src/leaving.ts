import type { Subscription } from './port.ts';

/** Adds a part to these, from which it takes itself out when it is closed; resolves once it is open. */
export async function leaving<T extends Subscription & { opened: Promise<void> }>(
  parts: Set<T>,
  part: T,
): Promise<Subscription> {
  parts.add(part);
  await part.opened;
  return {
    async close() {
      parts.delete(part);
      await part.close();
    },
  };
}
