import ipaddr from 'ipaddr.js';

/** Which addresses a provider's files may lie at. */
export interface MediaRules {
  /** The provider's own address, as configured. */
  baseUrl: string;
  /** Hosts it keeps files on; to be reached by https alone. */
  hosts: readonly string[];
  /** Those of `hosts` that want our credentials. */
  credentialHosts: readonly string[];
}

export interface Judgement {
  /** Whether our credentials go along. */
  credentials: boolean;
  /**
   * Whether only public addresses will do: the host's name comes from a message and must not lead into our own network.
   */
  publicOnly: boolean;
}

/** An address comes with a message, so anybody may have written it. Undefined: nothing is fetched from there. */
export function judge(url: URL, { baseUrl, hosts, credentialHosts }: MediaRules): Judgement | undefined {
  if (url.username || url.password) return undefined;
  if (url.origin === new URL(baseUrl).origin) return { credentials: true, publicOnly: false };
  const named = url.protocol === 'https:' && url.port === '' && !ipaddr.isValid(url.hostname.replace(/[[\]]/g, ''));
  if (!named || !hosts.includes(url.hostname)) return undefined;
  return { credentials: credentialHosts.includes(url.hostname), publicOnly: true };
}

/** All that is given out of IPv6: what the registries have yet to say of the rest, the library does not know. */
const givenOut = ipaddr.IPv6.parseCIDR('2000::/3');

export function isPublic(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address).range() === 'unicast';
  if (!ipaddr.IPv6.isValid(address)) return false;
  const ipv6 = ipaddr.IPv6.parse(address);
  return ipv6.range() === 'unicast' && ipv6.match(givenOut);
}
