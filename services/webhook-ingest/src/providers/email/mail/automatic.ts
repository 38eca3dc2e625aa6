import { type Envelope, firstValue, type Mail } from './mail.ts';

const precedences = ['bulk', 'junk', 'list', 'auto_reply'];
const marks = ['list-id', 'x-autoreply', 'x-autorespond', 'x-auto-reply'];
const daemon = /^(?:mailer-daemon|postmaster)@/i;

/** Written by a machine: who answers it by machine makes a loop. */
export function isAutomatic(mail: Mail, { sender }: Envelope, from: string): boolean {
  const auto = word(firstValue(mail, 'auto-submitted'));
  if (auto !== '' && auto !== 'no') return true;
  if (precedences.includes(word(firstValue(mail, 'precedence')))) return true;
  if (marks.some((mark) => firstValue(mail, mark) !== undefined)) return true;
  return sender === '' || /^<\s*>$/.test(firstValue(mail, 'return-path') ?? '') || daemon.test(from);
}

const word = (value: string | undefined): string => value?.split(/[;(]/)[0]?.trim().toLowerCase() ?? '';
