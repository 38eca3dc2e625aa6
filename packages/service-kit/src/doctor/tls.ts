import { X509Certificate } from 'node:crypto';
import { certificateProblem } from '../process/tls.ts';
import { certificatesIn, type TlsSettings } from '../process/tls-settings.ts';
import { type Check, failed, type Line, ok, warning } from './finding.ts';

const day = 86_400_000;
const soonMs = 14 * day;

/** Nothing to look at where nothing of it was set. */
export const tlsChecks = (config: TlsSettings, now = new Date()): Check[] =>
  config.TLS_CA || config.TLS_CERT || config.TLS_KEY
    ? [{ name: 'TLS', fix: '', alone: true, run: async () => [...shownLines(config, now), ...calledLines(config)] }]
    : [];

/** The certificate that callers are shown. */
function shownLines(config: TlsSettings, now: Date): Line[] {
  const problem = certificateProblem(config);
  const pair = 'TLS_CERT and TLS_KEY are given together, as certificate and key that were made for each other';
  if (problem) return [failed('certificate', problem, pair)];
  if (!config.TLS_CERT) return [];
  const [own = '', ...between] = certificatesIn(config.TLS_CERT);
  const certificate = new X509Certificate(own);
  const until = certificate.validToDate;
  const said = `for ${certificate.subjectAltName ?? 'no name'}, until ${until.toISOString().slice(0, 10)}`;
  const renew = 'renew it, and start the process anew: it reads its certificate when it starts';
  if (until <= now) return [failed('certificate', said, renew)];
  if (config.TLS_CA && !leadsTo(certificatesIn(config.TLS_CA), [own, ...between]))
    return [warning('certificate', `${said}, from none of TLS_CA`, 'callers with the same TLS_CA will not believe it')];
  return [until.getTime() - now.getTime() < soonMs ? warning('certificate', said, renew) : ok('certificate', said)];
}

function leadsTo(authorities: readonly string[], chain: readonly string[]): boolean {
  const last = new X509Certificate(chain.at(-1) ?? '');
  return authorities.map((one) => new X509Certificate(one)).some((one) => last.checkIssued(one));
}

const ofParts = /^(AMQP|DATABASE|COMMS_SERVICE|RENEWALS_SERVICE|WEBHOOK_INGEST|NOTIFIER)_URL$/;

/** pg takes other words for this one today and will not tomorrow. */
function isPlain(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  return protocol.startsWith('postgres')
    ? searchParams.get('sslmode') !== 'verify-full'
    : !/^(https|amqps):$/.test(protocol);
}

/** Whoever names an authority means its calls to be secure. */
function calledLines(config: TlsSettings): Line[] {
  if (!config.TLS_CA) return [];
  const plain = Object.entries(config).flatMap(([setting, value]) =>
    ofParts.test(setting) && typeof value === 'string' && isPlain(value) ? setting : [],
  );
  if (plain.length === 0) return [ok('TLS', 'database, broker and services are met by verified TLS')];
  const fix = 'https://, amqps://, or ?sslmode=verify-full behind the address of the database: docs/tls.md';
  return [warning('TLS', `TLS_CA is given, and what ${plain.join(', ')} leads to is not met by verified TLS`, fix)];
}
