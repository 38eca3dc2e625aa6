import { randomBytes } from 'node:crypto';
import { type Actor, role as knownRole, programPart } from '@ops/contracts/roles';
import { recordId, subject } from '@ops/contracts/text';
import { actIn, audit } from '@ops/service-kit/auditing';
import { type Db, inTransaction } from '@ops/service-kit/database';
import { requestTrace } from '@ops/service-kit/request-log';
import type { Request, Response } from 'express';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Identity } from './access-token.ts';
import { createCookie } from './cookies.ts';
import type { OpenSessions } from './open-sessions.ts';
import type { Sealer } from './sealed.ts';
import { endAsAsked } from './session-endings.ts';
import { insertSession } from './session-store.ts';

/**
 * A browser's sign-in. Who it is stands in its own sealed cookie, whether it still counts in a row that all gateways see. It ends
 * when the access token it came from ends, and is not renewed: the next sign-in is silent while the identity provider's own
 * session lasts, and a role taken away there is gone here by then at the latest.
 */
export interface Session extends Identity {
  id: string;
  /** Has to come back in a header with every change. */
  csrf: string;
  /** When the person last showed who they are, where the identity provider says so. */
  signedInAt: Date | undefined;
  /** Proves to the identity provider, at sign-out, whose session to end. */
  idToken: string | undefined;
}

interface SignedIn {
  identity: Identity;
  signedInAt: Date | undefined;
  idToken: string | undefined;
}

export interface Sessions {
  read(req: Request): Promise<Session | undefined>;
  /** In place of the one this browser had. */
  begin(req: Request, res: Response, signedIn: SignedIn): Promise<void>;
  end(res: Response, session: Session | undefined): Promise<void>;
}

export interface SessionsOptions {
  db: Db;
  open: OpenSessions;
  sealer: Sealer;
  secure: boolean;
  hours: number;
}

const purpose = 'session';
/** Browsers drop cookies over 4096 bytes without a word. */
const longestCookie = 3800;

const content = z.object({
  sid: recordId,
  sub: subject,
  name: z.string().optional(),
  client: z.string().optional(),
  role: knownRole,
  parts: z.array(programPart).optional(),
  csrf: z.string().min(20),
  auth_time: z.number().optional(),
  id_token: z.string().optional(),
  exp: z.number(),
});

export function createSessions({ db, open, sealer, secure, hours }: SessionsOptions): Sessions {
  const cookie = createCookie('ops_session', secure);
  const opened = async (req: Request): Promise<Session | undefined> => {
    const sealed = cookie.read(req);
    const facts = content.safeParse(sealed && (await sealer.open(purpose, sealed)));
    return facts.success ? sessionOf(facts.data) : undefined;
  };
  const end = async (res: Response, { id, actor }: Session) => {
    await endAsAsked(db, { actor, requestId: requestTrace(res).requestId, action: 'signOut' }, id);
    open.remove(id);
  };
  return {
    async read(req) {
      const session = await opened(req);
      return session && (await open.has(session.id, isUse(req))) ? session : undefined;
    },
    async begin(req, res, { identity: { actor, expiresAt }, signedInAt, idToken }) {
      const before = await opened(req);
      if (before) await end(res, before);
      const ends_at = earlier(expiresAt, new Date((signedInAt ?? new Date()).getTime() + hours * 3_600_000));
      const sid = uuidv7();
      const row = { id: sid, ...personOf(actor), signed_in_at: signedInAt ?? null, ends_at, ...whence(req) };
      await inTransaction(db, async (trx) => {
        actIn(trx, { actor, requestId: requestTrace(res).requestId, action: 'signIn' });
        await insertSession(trx, row);
        // Of a customer nothing is kept for years but that they were there.
        const after = { signed_in: true, ...(actor.role !== 'customer' && { from: whence(req) }) };
        await audit(trx, { subject: { kind: 'session', id: sid }, before: {}, after });
      });
      open.add(sid);
      const auth_time = signedInAt && signedInAt.getTime() / 1000;
      const facts = { ...actor, sid, csrf: randomBytes(24).toString('base64url'), ...(auth_time && { auth_time }) };
      const whole = await sealer.seal(purpose, { ...facts, ...(idToken && { id_token: idToken }) }, ends_at);
      const fits = whole.length <= longestCookie;
      cookie.write(res, fits ? whole : await sealer.seal(purpose, facts, ends_at), ends_at);
    },
    async end(res, session) {
      cookie.clear(res);
      if (session) await end(res, session);
    },
  };
}

/** A stream that is open, and a page nobody has touched for a while, say nothing of a person. */
const isUse = (req: Request) => req.path !== '/ops/stream' && req.get('X-Unattended') === undefined;

const personOf = ({ sub, role }: Actor) => ({ sub, role });

const longestBrowser = 300;

const whence = (req: Request) => ({
  browser: (req.get('User-Agent') ?? '').slice(0, longestBrowser),
  address: req.ip ?? '',
});

const earlier = (a: Date, b: Date) => (a < b ? a : b);

function sessionOf({ sid, csrf, auth_time, id_token, exp, ...who }: z.infer<typeof content>): Session {
  const signedInAt = auth_time === undefined ? undefined : new Date(auth_time * 1000);
  return { id: sid, actor: who as Actor, expiresAt: new Date(exp * 1000), csrf, signedInAt, idToken: id_token };
}
