import { loadConfig } from '@ops/service-kit/config';
import { runService } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { startProviderSim } from './compose.ts';
import { config } from './config.ts';

await runService('provider-sim', async () => {
  const settings = loadConfig(config);
  return startProviderSim(settings, createLogger('provider-sim', settings.LOG_LEVEL));
});
