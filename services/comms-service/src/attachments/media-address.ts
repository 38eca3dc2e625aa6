import { BlockList, isIP } from 'node:net';

/** Which addresses a provider's files may lie at. */
export interface MediaRules {
  /** The provider's own address, as configured. */
  baseUrl: string;
  /** Hosts it keeps files on; to be reached by https alone. */
  hosts: readonly string[];
  /** Those of them that ask who we are. */
  credentialHosts: readonly string[];
}

export interface Judgement {
  /** Show who we are. */
  credentials: boolean;
  /** The name comes from a message: it must not lead into our own network. */
  publicOnly: boolean;
}

/** An address comes with a message, so anybody may have written it. Undefined: nothing is fetched from there. */
export function judge(url: URL, { baseUrl, hosts, credentialHosts }: MediaRules): Judgement | undefined {
  if (url.username || url.password) return undefined;
  if (url.origin === new URL(baseUrl).origin) return { credentials: true, publicOnly: false };
  const named = url.protocol === 'https:' && url.port === '' && isIP(url.hostname.replace(/[[\]]/g, '')) === 0;
  if (!named || !hosts.includes(url.hostname)) return undefined;
  return { credentials: credentialHosts.includes(url.hostname), publicOnly: true };
}

/** Everything the registries of special-purpose addresses keep from the public internet. */
const closed = new BlockList();
for (const [network, prefix] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
  ] as const),
  ...([
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const),
] as const)
  closed.addSubnet(network, prefix, 'ipv4');

/** Of IPv6 only global unicast is public, but for what leads back to IPv4 or nowhere. */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(network, prefix, 'ipv6');

export function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}
