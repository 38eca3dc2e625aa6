import { tooManyRequests } from '@ops/service-kit/errors';
import type { RequestHandler, Response } from 'express';
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit';
import { callerOf } from '../sign-in/authentication.ts';
import { type SharedCounts, windowMs } from './shared-counts.ts';

export interface Limiters {
  /** Per person, whatever the address; a program by its client, with a limit of its own. */
  person: RequestHandler;
  /** Per address, for what is answered to anybody. */
  address: RequestHandler;
  /**
   * Per address, counting refused sign-ins alone: once over the limit they are answered 429. A good token from the same
   * address is never held up by another's bad ones.
   */
  refused: RequestHandler;
}

/** Whoever has one address of a network of IPv6 has them all. */
export const networkOf = ({ ip }: { ip?: string | undefined }): string => ipKeyGenerator(ip ?? '');

export function createLimiters(counts: SharedCounts, perMinute: number, perMinuteOfProgram: number): Limiters {
  const limiter = limiterOn(counts, perMinute);
  const byAddress = { keyGenerator: networkOf };
  return {
    person: limiter('person', (_req, res) => (isProgram(res) ? perMinuteOfProgram : perMinute), {
      // With the role: a customer's id is the firm's own string and may equal a person's name.
      keyGenerator(_req, res) {
        const { role, sub, client } = callerOf(res).actor;
        return `${role} ${isProgram(res) ? (client ?? sub) : sub}`;
      },
    }),
    address: limiter('address', perMinute, byAddress),
    refused: limiter('refused', perMinute, byAddress),
  };
}

const isProgram = (res: Response) => callerOf(res).actor.role === 'automation';

const limiterOn =
  (counts: SharedCounts, perMinute: number) =>
  (identifier: string, limit: Options['limit'], options: Partial<Options>): RequestHandler =>
    rateLimit({
      windowMs,
      limit,
      identifier,
      store: counts.of(identifier, perMinute),
      standardHeaders: 'draft-8',
      legacyHeaders: false,
      validate: false,
      handler: (_req, res, next) => next(tooManyRequests(Number(res.getHeader('Retry-After')) || 60)),
      ...options,
    });
