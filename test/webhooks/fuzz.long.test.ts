import { hostileWebhooksDoNoHarm } from './fuzz.ts';

hostileWebhooksDoNoHarm(Number(process.env.FUZZ_WEBHOOKS ?? 1_500));
