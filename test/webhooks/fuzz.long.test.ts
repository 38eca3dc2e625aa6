import { startSystem } from '@ops/test-system/system';
import { hostileWebhooksDoNoHarm } from './fuzzed-webhooks.ts';

// Leaves strangers waiting, whom others of the long tier would count.
hostileWebhooksDoNoHarm(Number(process.env.FUZZ_WEBHOOKS ?? 1_500), () => startSystem({ bus: 'postgres' }));
