import { messagesGoInAndOut } from './messages.ts';

messagesGoInAndOut('rabbitmq');
