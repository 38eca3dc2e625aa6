import { createPrivateKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';

export const certificatesIn = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];

const certificates = z
  .string()
  .refine((pem) => readable(() => certificatesIn(pem).map((one) => new X509Certificate(one)).length > 0), {
    error: 'certificates in PEM (BEGIN CERTIFICATE)',
  });

/** Each is most easily given as a file: `TLS_CA_FILE`, `TLS_CERT_FILE`, `TLS_KEY_FILE`. */
export const tlsSettings = z.object({
  /** Authorities that are believed beside those that everybody knows. */
  TLS_CA: certificates.optional(),
  /** What this process shows to whoever calls it, its own first; it then speaks HTTPS. */
  TLS_CERT: certificates.optional(),
  TLS_KEY: z
    .string()
    .refine((pem) => readable(() => createPrivateKey(pem).type === 'private'), {
      error: 'a private key in PEM (BEGIN PRIVATE KEY), not encrypted',
    })
    .optional(),
});
export type TlsSettings = z.infer<typeof tlsSettings>;

function readable(read: () => boolean): boolean {
  try {
    return read();
  } catch {
    return false;
  }
}
