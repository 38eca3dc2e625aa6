import { loadConfig } from '@ops/service-kit/config';
import { runService } from '@ops/service-kit/lifecycle';
import { createLogger } from '@ops/service-kit/logger';
import { startDevIdp } from './compose.ts';
import { config } from './config.ts';

await runService('dev-idp', async () => {
  const settings = loadConfig(config);
  return startDevIdp(settings, createLogger('dev-idp', settings.LOG_LEVEL));
});
