import { providerCheck } from '@ops/providers/provider-checks';
import { simulatedMark } from '@ops/providers/provider-settings';
import { type Check, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Config } from '../../config.ts';

const name = 'e-mail';

/** Greets the mail server, encrypts and logs in as a send would, and leaves. No mail is begun. */
export function smtpCheck(config: Config, timeoutMs: number): Check {
  const { SMTP_URL: url = '', EMAIL_FROM } = config;
  const where = url && new URL(url).host;
  const settings = { SMTP_URL: config.SMTP_URL, EMAIL_FROM: EMAIL_FROM?.address };
  const fix = `can this machine reach ${where}? It is SMTP_URL: smtp://USER:PASSWORD@HOST:587, or smtps:// with 465`;
  return providerCheck(name, settings, ['SMTP_URL', 'EMAIL_FROM'], fix, async () => [
    await lineOf(url, where, timeoutMs),
  ]);
}

interface Greeted {
  encrypted: boolean;
  loggedIn: boolean;
  simulated: boolean;
}

async function lineOf(url: string, where: string, timeoutMs: number): Promise<Line> {
  try {
    const { encrypted, loggedIn, simulated } = await greet(url, timeoutMs);
    if (simulated) return ok(name, `${where} answers (simulated: nothing reaches anybody)`);
    const said = `${where} ${loggedIn ? 'takes user and password' : 'answers, without a login'}`;
    if (encrypted) return ok(name, `${said}; encrypted`);
    return warning(
      name,
      `${said}; not encrypted`,
      'use a port with TLS (smtps:// and 465, or STARTTLS on 587): mails hold what customers may lose a right by',
    );
  } catch (error) {
    const fix = fixes[(error as { code?: string }).code ?? ''];
    if (!fix) throw error;
    return failed(name, `${where}: ${(error as Error).message}`, fix);
  }
}

const fixes: Record<string, string> = {
  EAUTH:
    'user or password in SMTP_URL are not those of the mail server; special characters in them are percent-encoded',
  ENOAUTH:
    'the mail server offers no way to log in that is known: another port, or an SMTP_URL without user and password',
};

function greet(url: string, timeoutMs: number): Promise<Greeted> {
  const { promise, resolve, reject } = Promise.withResolvers<Greeted>();
  const { auth, ...address } = parseConnectionUrl(url);
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, dnsTimeout: timeoutMs };
  const connection = new SMTPConnection({ ...address, ...limits, socketTimeout: timeoutMs, logger: false });
  const greeted = (loggedIn: boolean) =>
    resolve({
      encrypted: connection.secure,
      loggedIn,
      simulated: String(connection.lastServerResponse).includes(simulatedMark),
    });
  connection.once('error', reject);
  connection.once('end', () => reject(new Error('the connection ended')));
  connection.connect((error) => {
    if (error) return reject(error);
    if (!auth) return greeted(false);
    connection.login(auth, (refusal) => (refusal ? reject(refusal) : greeted(true)));
  });
  return promise.finally(() => {
    connection.on('error', () => undefined);
    connection.quit();
  });
}
