import { loadConfig } from '@ops/service-kit/config';
import { runService } from '@ops/service-kit/lifecycle';
import { compose } from './compose.ts';
import { config } from './config.ts';

await runService('comms-service', async () => compose(loadConfig(config)));
