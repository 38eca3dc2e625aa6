import { loadConfig } from '@ops/service-kit/config';
import { runService } from '@ops/service-kit/lifecycle';
import { startGateway } from './compose.ts';
import { gatewayConfig } from './config.ts';

await runService('gateway', async () => startGateway(loadConfig(gatewayConfig)));
