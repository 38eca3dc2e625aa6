import { createPrivateKey, X509Certificate } from 'node:crypto';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { isCertificateError } from '@ops/bus/certificate-error';
import { ConfigError } from './config.ts';
import { certificatesIn, type TlsSettings } from './tls-settings.ts';

/**
 * From here on this thread believes our own authority too, whomever it calls: Postgres, RabbitMQ, another process. Comes
 * before the first connection.
 */
export function trustAuthority({ TLS_CA }: Pick<TlsSettings, 'TLS_CA'>): void {
  if (TLS_CA) setDefaultCACertificates([...getCACertificates('default'), ...certificatesIn(TLS_CA)]);
}

export interface ServerCertificate {
  cert: string;
  key: string;
}

/** What to listen with; nothing is plain HTTP. */
export function serverCertificate({ TLS_CERT: cert, TLS_KEY: key }: TlsSettings): ServerCertificate | undefined {
  const problem = certificateProblem({ TLS_CERT: cert, TLS_KEY: key });
  if (problem) throw new ConfigError(`The settings are wrong:\n  ${problem}`);
  // One below the other, however they were put together.
  return cert && key ? { cert: certificatesIn(cert).join('\n'), key } : undefined;
}

/** Why the two do not go together, if they do not. */
export function certificateProblem({ TLS_CERT: cert, TLS_KEY: key }: TlsSettings): string | undefined {
  if (!cert && !key) return undefined;
  if (!cert || !key) return `${cert ? 'TLS_KEY' : 'TLS_CERT'}: expected beside ${cert ? 'TLS_CERT' : 'TLS_KEY'}`;
  const fits = new X509Certificate(certificatesIn(cert)[0] ?? '').checkPrivateKey(createPrivateKey(key));
  return fits ? undefined : 'TLS_KEY: is not the key of the first certificate of TLS_CERT';
}

/** A certificate that is not believed when a process starts is a setting to be mended, and said in plain words. */
export const believed = <T>(setting: string, connecting: Promise<T>): Promise<T> =>
  connecting.catch((error: unknown) => {
    if (!isCertificateError(error)) throw error;
    const reason = `${error.message} (${(error as NodeJS.ErrnoException).code})`;
    const mend = 'TLS_CA_FILE names the authority that signed it, the address a host that it is for';
    throw new ConfigError(`${setting}: the certificate of the server is not believed: ${reason}\n  ${mend}`);
  });
