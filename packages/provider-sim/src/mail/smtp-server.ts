import { buffer } from 'node:stream/consumers';
import { simulatedMark } from '@ops/providers/provider-settings';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import type { Faults } from '../faults.ts';
import type { Fate } from '../message.ts';
import { plainAddress } from '../world.ts';

export interface MailIntake {
  port: number;
  close(): Promise<void>;
}

interface MailIntakeOptions {
  host: string;
  port: number;
  faults: Faults;
  /** `messageId`: null where the mail itself did not come any more. */
  asked(messageId: string | null, fate: Fate): void;
  /** One mail for one recipient; resolves once it is kept. */
  take(bytes: Buffer, to: string): Promise<void>;
}

class Refusal extends Error {
  responseCode: number;
  constructor(code: number, text: string) {
    super(text);
    this.responseCode = code;
  }
}

/** The mail server of everybody outside: takes what the firm sends, or does what the faults say. */
export async function startMailIntake({ host, port, faults, asked, take }: MailIntakeOptions): Promise<MailIntake> {
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    name: simulatedMark,
    size: 50 * 1024 * 1024,
    closeTimeout: 500,
    onMailFrom: (_address, session, answer) => {
      const fate = faults.fate('EMAIL');
      fates.set(session, fate);
      if (fate !== 'throttle') return answer(null);
      asked(null, fate);
      answer(new Refusal(421, '4.7.0 Too many messages, try again later'));
    },
    onRcptTo: ({ address }, _session, answer) => {
      const code = faults.settings().refused[plainAddress(address)];
      answer(code === undefined ? null : new Refusal(code, 'Mailbox unavailable'));
    },
    onData: (stream, session, answer) => {
      receive(stream, session, fates.get(session) ?? 'taken').then(
        (said) => said !== 'nothing' && answer(said),
        answer,
      );
    },
  });
  const fates = new WeakMap<SMTPServerSession, Fate>();

  const receive = async (stream: SMTPServerDataStream, session: SMTPServerSession, fate: Fate) => {
    const bytes = await buffer(stream);
    asked(messageIdOf(bytes), fate);
    if (fate === 'hang') return 'nothing';
    if (fate === 'fail') return new Refusal(451, '4.3.0 Local error in processing');
    for (const { address } of session.envelope.rcptTo) await take(bytes, plainAddress(address));
    if (fate === 'delay') await new Promise((resolve) => setTimeout(resolve, faults.settings().delay_ms));
    if (fate !== 'cut') return null;
    cut(server, session);
    return 'nothing';
  };

  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** From the head alone: what is not taken is not read. */
function messageIdOf(mail: Buffer): string | null {
  const head = mail.subarray(0, mail.indexOf('\r\n\r\n')).toString();
  return /^message-id:\s*(<[^>]*>)/im.exec(head)?.[1] ?? null;
}

function cut({ connections }: SMTPServer, session: SMTPServerSession): void {
  for (const connection of connections) if (connection.session === session) connection._socket.destroy();
}
