import { type Acting, actIn, audit } from '@ops/service-kit/auditing';
import { type Db, execute, inTransaction } from '@ops/service-kit/database';
import { asProblemError, type ProblemError } from '@ops/service-kit/errors';
import { every, type Job } from '@ops/service-kit/every';
import type { Logger } from '@ops/service-kit/logger';
import { requestTrace } from '@ops/service-kit/request-log';
import type { Request, Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { callerIfAny } from '../sign-in/authentication.ts';

/** Who was not let do what, for whoever looks at it later. */
export interface Refusals {
  note(error: unknown, req: Request, res: Response): void;
  start(): void;
  /** Writes what was noted so far. */
  stop(): Promise<void>;
}

interface Refused extends Acting {
  facts: Record<string, unknown>;
  count: number;
}

const writtenEveryMs = 60_000;
const tidiedEveryMs = 3_600_000;
/** Whoever comes with ever another address fills no memory: beyond these they are one. */
const mostApart = 200;

/** A burst is one row with a count. Counted here first: no refusal costs a statement. */
export function createRefusals(db: Db, logger: Logger): Refusals {
  const counted = new Map<string, Refused>();
  const add = (key: string, refused: Refused) => {
    const found = counted.get(key);
    if (found) found.count += refused.count;
    else counted.set(key, refused);
  };
  /** What could not be written is for the next turn. */
  const write = async () => {
    const waiting = [...counted];
    for (const [key, refused] of waiting) {
      counted.delete(key);
      await writeDown(db, refused).catch((error: unknown) => {
        add(key, refused);
        throw error;
      });
    }
  };
  const jobs: Job[] = [];
  return {
    note(error, req, res) {
      const problem = asProblemError(error);
      if (!isRefusal(problem, req)) return;
      const refused = refusedOf(problem, req, res);
      const own = JSON.stringify([refused.actor.sub, refused.actor.role, refused.facts]);
      if (counted.has(own) || counted.size < mostApart) add(own, refused);
      else add(others, ofOthers(refused));
    },
    start() {
      jobs.push(
        every(writtenEveryMs, write, logger),
        every(tidiedEveryMs, () => tidy(db), logger),
      );
    },
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await write().catch((error: unknown) => logger.warn({ err: error }, 'refusals were not written down'));
    },
  };
}

const others = 'others';
const nobody = { sub: 'nobody', role: 'nobody' } as const;

const ofOthers = ({ facts: { status, code }, ...rest }: Refused): Refused => ({
  ...rest,
  actor: nobody,
  facts: { status, code, of_several: true },
});

/** Nobody reached for anything who came without a credential, as every page does that is opened before a sign-in. */
const isRefusal = ({ status }: ProblemError, req: Request): boolean =>
  status === 403 ||
  status === 429 ||
  (status === 401 && (req.headers.authorization !== undefined || /ops_session=/.test(req.headers.cookie ?? ''))) ||
  (status === 400 && req.path === '/auth/callback');

function refusedOf({ status, code }: ProblemError, req: Request, res: Response): Refused {
  const actor = callerIfAny(res)?.actor ?? nobody;
  const route = `${req.method} ${req.route?.path ?? '(no route)'}`;
  const facts = { status, code, route, address: req.ip ?? '' };
  return { actor, requestId: requestTrace(res).requestId, action: 'refused', facts, count: 1 };
}

const writeDown = (db: Db, { facts, count, ...acting }: Refused): Promise<void> =>
  inTransaction(db, (trx) => {
    actIn(trx, acting);
    return audit(trx, {
      subject: { kind: 'refusal', id: uuidv7() },
      before: {},
      after: { refused: facts, times: count },
    });
  });

/** Of all the gateway wrote down. The database itself leaves what is younger than seven years. */
const tidy = (db: Db): Promise<unknown> =>
  execute(
    db,
    `SELECT remove_audit(ARRAY(SELECT id FROM audit WHERE at < now() - interval '2557 days' ORDER BY at LIMIT 500))`,
  );
