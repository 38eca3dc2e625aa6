import { hostileWebhooksDoNoHarm } from './fuzz.ts';

hostileWebhooksDoNoHarm(400);
