import { aWebhookIsTakenOnce } from './once.ts';

aWebhookIsTakenOnce('rabbitmq');
