import { hostileWebhooksDoNoHarm } from './fuzzed-webhooks.ts';

hostileWebhooksDoNoHarm(Number(process.env.FUZZ_WEBHOOKS ?? 1_500));
