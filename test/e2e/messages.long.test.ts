import { messagesGoInAndOut } from './messages.ts';

messagesGoInAndOut('postgres');
