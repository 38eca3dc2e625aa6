import type { RecordSamples } from '../samples.ts';
import type { Undo } from '../undo.ts';
import { startBare } from './bare-process.ts';

export interface BarePair {
  origin: string;
  /** Process ids by name. */
  processes: Map<string, number>;
}

/** A bare app on these tables, and a bare proxy in front of it: as the gateway and a service, each in its own process. */
export async function startBarePair(undo: Undo, databaseUrl: string, samples?: RecordSamples): Promise<BarePair> {
  const app = await startBare(undo, 'bare-app', { DATABASE_URL: databaseUrl, SAMPLES: JSON.stringify(samples ?? {}) });
  const proxy = await startBare(undo, 'bare-proxy', { TARGET: `http://127.0.0.1:${app.port}` });
  const processes = new Map([
    ['bare app', app.pid],
    ['bare proxy', proxy.pid],
  ]);
  return { origin: `http://127.0.0.1:${proxy.port}`, processes };
}
