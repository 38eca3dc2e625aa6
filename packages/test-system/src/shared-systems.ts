import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type SystemOptions, startOwnSystem } from './system.ts';

type Started = Awaited<ReturnType<typeof startOwnSystem>>;

/** No limit that suites would meet together, and nothing that begins by itself. */
const env = { RATE_LIMIT_PER_MINUTE: '1000000', REFRESH_CRON: 'off', RETENTION_CRON: 'off' };

const buses: readonly SystemOptions['bus'][] = ['postgres', 'rabbitmq'];

/** One that nobody joins for so long is stopped: also at rest it takes a tenth of a processor. */
const keptMs = 20_000;

/** Started when somebody first joins it, and anew when somebody joins later than it was kept. */
function share(bus: SystemOptions['bus']) {
  let started: Promise<Started> | undefined;
  let joined = 0;
  let ending: NodeJS.Timeout | undefined;
  const ends: Promise<void>[] = [];
  const end = () => {
    clearTimeout(ending);
    const ended = started?.then(({ system }) => system.stop());
    // Told of when the run ends, and not as an error nobody awaits.
    ended?.catch(() => undefined);
    if (ended) ends.push(ended);
    started = undefined;
  };
  return {
    join() {
      clearTimeout(ending);
      joined += 1;
      started ??= startOwnSystem({ bus, env }).catch((error) => {
        started = undefined;
        joined = 0;
        throw error;
      });
      return started;
    },
    leave() {
      joined -= 1;
      if (joined === 0) ending = setTimeout(end, keptMs);
    },
    /** Rejects when a process of it ended that nobody stopped. */
    async stop() {
      end();
      await Promise.all(ends);
    },
  };
}

/** Lets suites, which are processes of their own, join the run's system on either bus (POST) and leave it (DELETE). */
export async function serveSystems(): Promise<{ url: string; stop(): Promise<void> }> {
  const systems = new Map(buses.map((bus) => [`/${bus}`, share(bus)]));
  const server = createServer((req, res) => {
    const system = systems.get(req.url ?? '');
    if (req.method === 'DELETE') system?.leave();
    if (!system || req.method !== 'POST') return void res.writeHead(system ? 204 : 404).end();
    system.join().then(
      ({ told }) => res.end(JSON.stringify(told)),
      (error) => res.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await Promise.all([...systems.values()].map((system) => system.stop()));
    },
  };
}
