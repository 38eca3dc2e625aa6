import { generate } from 'selfsigned';

/** In PEM. */
export interface Certificate {
  cert: string;
  key: string;
  /** Who signed it. */
  authority: string;
}

export interface Authority {
  pem: string;
  /** For this host name. The times are for who looks at how it ends. */
  issue(host: string, times?: { from?: Date; until?: Date }): Promise<Certificate>;
}

const day = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * day);
const made = { keyType: 'ec', algorithm: 'sha256' } as const;
const named = (value: string) => [{ name: 'commonName', value }];

/** An authority that nobody knows but who is told of it. */
export async function makeAuthority(name = 'an authority of the tests'): Promise<Authority> {
  const { cert: pem, private: authorityKey } = await generate(named(name), {
    ...made,
    notBeforeDate: inDays(-400),
    notAfterDate: inDays(400),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return {
    pem,
    async issue(host, { from = inDays(-1), until = inDays(100) } = {}) {
      const { cert, private: key } = await generate(named(host), {
        ...made,
        notBeforeDate: from,
        notAfterDate: until,
        ca: { key: authorityKey, cert: pem },
        extensions: [
          { name: 'basicConstraints', cA: false, critical: true },
          { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
        ],
      });
      return { cert, key, authority: pem };
    },
  };
}
