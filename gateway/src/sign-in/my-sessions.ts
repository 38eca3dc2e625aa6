import type { EndedSignIns, SignIns } from '@ops/contracts/resources/sign-in';
import type { Actor } from '@ops/contracts/roles';
import { nameOf, type RouteSpec, routes } from '@ops/contracts/routes';
import type { Db } from '@ops/service-kit/database';
import { notFound } from '@ops/service-kit/errors';
import { requestTrace } from '@ops/service-kit/request-log';
import type { Response } from 'express';
import type { Caller } from './authentication.ts';
import type { OpenSessions } from './open-sessions.ts';
import { endAllBut, endAsAsked } from './session-endings.ts';
import { listSessions } from './session-store.ts';

/** What a person sees of where they are signed in, and ends of it. */
export interface MySessions {
  list(res: Response, caller: Caller): Promise<void>;
  endOne(res: Response, caller: Caller, input: { params: { id: string } }): Promise<void>;
  endOthers(res: Response, caller: Caller): Promise<void>;
}

export function createMySessions(db: Db, open: OpenSessions, idleMinutes: number): MySessions {
  return {
    async list(res, { actor, session }) {
      const found = await listSessions(db, actor, idleMinutes);
      const data = found.map(({ began_at, signed_in_at, used_at, ends_at, ...rest }) => ({
        ...rest,
        began_at: began_at.toISOString(),
        signed_in_at: signed_in_at?.toISOString() ?? null,
        used_at: used_at.toISOString(),
        ends_at: ends_at.toISOString(),
        current: rest.id === session?.id,
      }));
      res.json({ data } satisfies SignIns);
    },
    async endOne(res, { actor }, { params: { id } }) {
      const found = await endAsAsked(db, acting(res, actor, routes.endMySession), id);
      if (!found) throw notFound('None of your sign-ins has this id');
      open.remove(id);
      res.json({ ended: found.now ? 1 : 0 } satisfies EndedSignIns);
    },
    async endOthers(res, { actor, session }) {
      const ended = await endAllBut(db, acting(res, actor, routes.endMyOtherSessions), session?.id);
      for (const id of ended) open.remove(id);
      res.json({ ended: ended.length } satisfies EndedSignIns);
    },
  };
}

const acting = (res: Response, actor: Actor, spec: RouteSpec) => ({
  actor,
  requestId: requestTrace(res).requestId,
  action: nameOf(spec),
});
