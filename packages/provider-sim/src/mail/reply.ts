import type { Message } from '../message.ts';

export const replySubject = (subject: string | null): string =>
  /^re:/i.test(subject ?? '') ? String(subject) : `Re: ${subject ?? ''}`;

/** Below the answer, as mail programs do. */
export function quoted({ at, text, mail }: Message): string {
  const lines = text.split('\n').map((line) => `> ${line}`);
  return [`On ${at.slice(0, 10)}, ${mail?.from ?? ''} wrote:`, ...lines].join('\n');
}
