import { hostileWebhooksDoNoHarm } from './fuzzed-webhooks.ts';

hostileWebhooksDoNoHarm(400);
