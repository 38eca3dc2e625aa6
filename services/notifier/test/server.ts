import { createServer, type Socket } from 'node:net';
import { listening } from './outside.ts';

type Step = 'greeting' | 'EHLO' | 'AUTH' | 'MAIL' | 'RCPT' | 'DATA' | 'taken';
type Reply = string | 'cut' | 'hang';

export interface MailServer {
  url: string;
  /** Whole mails that were handed over, whatever was answered. */
  mails: string[];
  recipients: string[];
  /** How often somebody came. */
  readonly conversations: number;
  /** What it says at a step instead of yes. */
  say(replies: Partial<Record<Step, Reply>>): void;
  close(): Promise<void>;
}

const yes: Record<Step, Reply> = {
  greeting: '220 mail.example.com',
  EHLO: '250-mail.example.com\r\n250-AUTH PLAIN\r\n250 8BITMIME',
  AUTH: '235 welcome',
  MAIL: '250 fine',
  RCPT: '250 fine',
  DATA: '354 go on',
  taken: '250 queued',
};

/** Speaks just enough SMTP, and can break off at each step. */
export async function startMailServer(): Promise<MailServer> {
  let replies = yes;
  let conversations = 0;
  const mails: string[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    conversations += 1;
    socket.on('error', () => undefined);
    const reply = (step: Step) => {
      if (replies[step] === 'cut') socket.destroy();
      else if (replies[step] !== 'hang') socket.write(`${replies[step]}\r\n`);
    };
    reply('greeting');
    converse(socket, reply, mails, recipients);
  });
  const port = await listening(server);
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    recipients,
    get conversations() {
      return conversations;
    },
    say: (given) => {
      replies = { ...yes, ...given };
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(socket: Socket, reply: (step: Step) => void, mails: string[], recipients: string[]): void {
  let pending = '';
  let inMail = false;
  socket.on('data', (chunk) => {
    pending += chunk.toString('utf8');
    for (;;) {
      const end = inMail ? pending.indexOf('\r\n.\r\n') : pending.indexOf('\r\n');
      if (end < 0) return;
      const text = pending.slice(0, end);
      pending = pending.slice(end + (inMail ? 5 : 2));
      if (inMail) {
        mails.push(text);
        inMail = false;
        reply('taken');
        continue;
      }
      const verb = text.slice(0, 4).toUpperCase();
      if (verb === 'RCPT') recipients.push(text);
      if (verb === 'DATA') inMail = true;
      if (verb === 'QUIT') socket.end('221 bye\r\n');
      else reply(verb as Step);
    }
  });
}
