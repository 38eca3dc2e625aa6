import { sharedSystem } from '@ops/test-kit/system';
import { hostileWebhooksDoNoHarm } from './fuzzed-webhooks.ts';

hostileWebhooksDoNoHarm(400, () => sharedSystem('postgres'));
