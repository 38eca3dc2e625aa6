import { Readable } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

export interface Envelope {
  from: string;
  to: string;
}

/**
 * - `taken`: the server answered for the whole mail.
 * - `answered`: it answered no, at whatever point; a code of 400 to 599.
 * - `failed`: no answer. `handedOver`: the mail was on its way by then; `late`: we stopped waiting.
 */
export type Transmission =
  | { kind: 'taken' }
  | { kind: 'answered'; code: number; words: string }
  | { kind: 'failed'; handedOver: boolean; late: boolean; reason: string };

/** How many time-outs a conversation may take in all; each of its parts has its own limit. */
const timesAsLong = 4;

/** nodemailer's own word for it. */
const timedOut = 'ETIMEDOUT';

/**
 * One mail over one connection. nodemailer's pooled and plain transports do not tell whether a lost connection had
 * carried the mail; the connection asks for the mail's bytes only after the server said that it takes them.
 */
export function transmit(url: string, envelope: Envelope, mail: Buffer, timeoutMs: number): Promise<Transmission> {
  const { promise, resolve } = Promise.withResolvers<Transmission>();
  const { auth, ...address } = parseConnectionUrl(url);
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, dnsTimeout: timeoutMs };
  const connection = new SMTPConnection({ ...address, ...limits, socketTimeout: timeoutMs, logger: false });
  let handedOver = false;
  const failed = (error: Error) => resolve(failureOf(error, handedOver));
  const tooLong = Object.assign(new Error('the conversation took too long'), { code: timedOut });
  const timer = setTimeout(() => failed(tooLong), timeoutMs * timesAsLong);
  const body = new Readable({
    read() {
      handedOver = true;
      this.push(mail);
      this.push(null);
    },
  });
  const send = () => connection.send(envelope, body, (error) => (error ? failed(error) : resolve({ kind: 'taken' })));
  connection.once('error', failed);
  connection.once('end', () => failed(new Error('the connection ended')));
  connection.connect((error) => {
    if (error) return failed(error);
    if (!auth) return send();
    connection.login(auth, (refusal) => (refusal ? failed(refusal) : send()));
  });
  return promise.finally(() => {
    clearTimeout(timer);
    connection.on('error', () => undefined);
    connection.close();
  });
}

/** The code alone, or the server's own words: a driver's message may quote an address. */
function failureOf(error: Error, handedOver: boolean): Transmission {
  const { code, responseCode, response } = error as { code?: string; responseCode?: number; response?: string };
  if (responseCode !== undefined && responseCode >= 400)
    return { kind: 'answered', code: responseCode, words: String(response ?? '') };
  return { kind: 'failed', handedOver, late: code === timedOut, reason: code ?? error.message };
}
