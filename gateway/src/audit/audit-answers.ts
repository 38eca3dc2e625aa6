import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AuditFilter, ServiceAuditQuery } from '@ops/contracts/resources/audit';
import { auditFile, auditPage } from '@ops/service-kit/audit-answers';
import type { Db } from '@ops/service-kit/database';
import { requestTrace } from '@ops/service-kit/request-log';
import type { Response } from 'express';
import type { Caller } from '../sign-in/authentication.ts';

/** Who signed in, who was refused what, as the services answer for what was changed in them. */
export const createAuditAnswers = (db: Db) => ({
  list: async (res: Response, _caller: Caller, { query }: { query: ServiceAuditQuery }) =>
    void res.json(await auditPage(db, query)),
  download: async (res: Response, { actor }: Caller, { query }: { query: AuditFilter }) => {
    const { content, mediaType, headers } = await auditFile(db, 'gateway', query, actor, requestTrace(res).requestId);
    res.set({ 'Content-Type': mediaType, ...headers });
    await pipeline(Readable.from(content), res);
  },
});
