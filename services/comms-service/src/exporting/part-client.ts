import { type ExportLine, type ExportOrder, exportLine, internalRoutes } from '@ops/contracts/internal-routes';
import { type ServiceName, serviceNames } from '@ops/contracts/routes';
import { unavailable } from '@ops/service-kit/errors';
import type { Exporting } from '@ops/service-kit/exporting';
import type { InternalClient, Streamed } from '@ops/service-kit/internal-client';

/** What one service holds of a customer, line by line. */
export interface Part {
  service: ServiceName;
  lines: AsyncIterable<ExportLine>;
  /** It is not read, or not to its end. */
  close(): Promise<void>;
}

/** Every service, this one without a detour; each has begun to tell, or nobody is told anything. */
export async function openParts(own: Exporting, others: InternalClient, order: ExportOrder): Promise<Part[]> {
  const asked = await Promise.allSettled(
    serviceNames.map((service) =>
      service === 'comms-service' ? ownPart(service, own, order) : othersPart(service, others, order),
    ),
  );
  const parts = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const [failed] = asked.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failed === undefined) return parts;
  await closeAll(parts);
  throw unavailable('One of the services cannot tell what it holds at the moment', undefined, failed);
}

export const closeAll = async (parts: readonly Part[]): Promise<void> =>
  void (await Promise.allSettled(parts.map((part) => part.close())));

const ownPart = async (service: ServiceName, own: Exporting, order: ExportOrder): Promise<Part> => ({
  service,
  lines: linesIn(own.part(order)),
  close: async () => {},
});

async function othersPart(service: ServiceName, others: InternalClient, order: ExportOrder): Promise<Part> {
  const stream = await others.stream(service, internalRoutes.exportPart, { body: order });
  return { service, lines: linesIn(textOf(stream)), close: () => stream.cancel().catch(() => {}) };
}

async function* textOf(stream: Streamed): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
}

async function* linesIn(texts: AsyncIterable<string>): AsyncGenerator<ExportLine> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield exportLine.parse(JSON.parse(line));
  }
}
