import { aWebhookIsTakenOnce } from './once.ts';

aWebhookIsTakenOnce('postgres');
