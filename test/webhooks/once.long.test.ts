import { aWebhookIsTakenOnce } from './taken-once.ts';

aWebhookIsTakenOnce('postgres');
aWebhookIsTakenOnce('rabbitmq');
