import { serviceNames } from '@ops/contracts/routes';
import { readMetrics } from '@ops/test-kit/metrics';
import type { System } from '@ops/test-system/system';

/** Seconds of processor time by process: unlike speed, they hardly depend on what else the machine is doing. */
export type Cpu = Record<string, number>;

export async function cpuOf({ metricsUrl }: System): Promise<Cpu> {
  const { user, system } = process.cpuUsage();
  const processes = (['gateway', ...serviceNames] as const).map(async (name) => {
    const metric = await readMetrics(metricsUrl(name));
    return [name, metric('process_cpu_seconds_total') ?? Number.NaN] as const;
  });
  return { 'this bench': (user + system) / 1e6, ...Object.fromEntries(await Promise.all(processes)) };
}

/** Milliseconds for a message, of every process that had anything to do with it. */
export const describeCpu = (before: Cpu, after: Cpu, messages: number): string =>
  Object.entries(after)
    .map(([name, seconds]) => [name, ((seconds - (before[name] ?? 0)) * 1000) / messages] as const)
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`)
    .join(', ');
