import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type System, type SystemOptions, startOwnSystem } from './system.ts';

type Started = Awaited<ReturnType<typeof startOwnSystem>>;

/** No limit that suites would meet together, and nothing that begins by itself. */
const env = { RATE_LIMIT_PER_MINUTE: '1000000', REFRESH_CRON: 'off', RETENTION_CRON: 'off' };

const buses: readonly SystemOptions['bus'][] = ['postgres', 'rabbitmq'];

/** Lets suites, which are processes of their own, ask for the run's system on either bus; started when first asked for. */
export async function serveSystems(): Promise<{ url: string; stop(): Promise<void> }> {
  const started = new Map<string, Promise<Started>>();
  const systemOn = (bus: SystemOptions['bus']): Promise<Started> => {
    const system = started.get(bus) ?? startOwnSystem({ bus, env });
    started.set(bus, system);
    return system;
  };
  const server = createServer((req, res) => {
    const bus = buses.find((one) => req.url === `/${one}`);
    const told = bus ? systemOn(bus).then((one) => one.told) : Promise.reject(new Error(`there is no ${req.url}`));
    told.then(
      (system) => res.end(JSON.stringify(system)),
      (error) => res.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      const systems: System[] = [];
      for (const one of await Promise.allSettled(started.values()))
        if (one.status === 'fulfilled') systems.push(one.value.system);
      await Promise.all(systems.map((system) => system.stop()));
    },
  };
}
