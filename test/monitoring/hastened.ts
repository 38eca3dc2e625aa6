import { serviceNames } from '@ops/contracts/routes';
import { type Prometheus, startPrometheus } from '@ops/test-kit/prometheus';
import type { System } from '@ops/test-system/system';
import { parse, stringify } from 'yaml';
import { text } from './files.ts';

/** `[10m]`, `offset 1h` and `for: 26h` at sixty times the speed: minutes become seconds, hours minutes. */
export const hastened = (text: string) =>
  text.replaceAll(/(\[|offset |for: )(\d+)([mhd])\b/g, (_, before, amount, unit) => {
    return unit === 'd' ? `${before}${amount * 24}m` : `${before}${amount}${unit === 'h' ? 'm' : 's'}`;
  });

/**
 * Our configuration and our rules over a system of the test's own, looked at every second. Durations are shortened, so
 * that what has to hold for five minutes holds for five seconds; thresholds are as they are. Nobody is told.
 */
export async function startHastened(system: System): Promise<Prometheus> {
  const { alerting: _, ...config } = parse(await text('monitoring/prometheus.yaml'));
  const targets = (['gateway', ...serviceNames] as const).map((name) => new URL(system.metricsUrl(name)).host);
  config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
  config.scrape_configs[0].static_configs = [{ targets }];
  const rules = hastened(await text('monitoring/alerts.yaml'));
  return startPrometheus({ 'prometheus.yaml': stringify(config), 'alerts.yaml': rules });
}
