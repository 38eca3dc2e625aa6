import type { EventData } from '@ops/contracts/events';
import { domainOf, emailOf } from './address-reader.ts';

type SenderVerified = NonNullable<EventData<'provider.message.received'>['sender_verified']>;

interface Check {
  /** In the words of RFC 8601, lower-case. */
  result: string;
  /** Whom it is about, as a domain or an address; undefined where that is not said. */
  domain: string | undefined;
}

/** What the server that took a mail found out about its sender, as far as it says. */
export interface Checks {
  dmarc?: Check | undefined;
  spf?: Check | undefined;
  dkim: readonly Check[];
}

/**
 * Whether a mail is from whom it says. Only a domain's own word counts for it: a stranger's mail may pass every check of the
 * stranger's domain.
 */
export function senderVerified(from: string | null, { dmarc, spf, dkim }: Checks): SenderVerified {
  const passes = (check: Check | undefined) => check?.result === 'pass' && isAligned(check.domain, from);
  if (dmarc?.result === 'fail' || isOfAnother(dmarc, from)) return 'fail';
  if (passes(dmarc) || dkim.some(passes)) return 'pass';
  if (spf?.result === 'fail' || spf?.result === 'hardfail') return 'fail';
  return passes(spf) ? 'pass' : 'unknown';
}

/** The server looked at another From than we read, as where a mail has two. */
const isOfAnother = (dmarc: Check | undefined, from: string | null): boolean =>
  comparable(dmarc?.domain).includes('.') && !isAligned(dmarc?.domain, from);

/** One is the other, or part of it. That both are of one owner otherwise, only a list of all registries would tell. */
function isAligned(domain: string | undefined, from: string | null): boolean {
  const [one, other] = [comparable(domain), comparable(from ?? undefined)];
  if (!one.includes('.') || !other.includes('.')) return false;
  return one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);
}

const comparable = (given: string | undefined): string =>
  given === undefined ? '' : domainOf(emailOf(`x@${domainOf(given)}`) ?? '');
