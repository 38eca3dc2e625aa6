import { z } from 'zod';
import * as audit from '../resources/audit.ts';
import * as deadLetter from '../resources/dead-letter.ts';
import { none, type RouteSpec, route, serviceNames } from '../route-spec.ts';
import { recordId } from '../text.ts';

const ofService = z.strictObject({ name: z.enum(serviceNames) });
const ofProcess = z.strictObject({ name: z.enum([...serviceNames, 'gateway']) });

export const everyServiceRoutes = {
  listDeadLetters: route({
    method: 'GET',
    path: '/ops/services/:name/dead-letters',
    owner: 'named',
    roles: ['admin'],
    summary: 'Messages a consumer of this service gave up on, newest first',
    params: ofService,
    query: deadLetter.deadLetterQuery,
    success: { 200: deadLetter.deadLetterPage },
  }),
  replayDeadLetter: route({
    method: 'POST',
    path: '/ops/services/:name/dead-letters/:id/replay',
    owner: 'named',
    roles: ['admin'],
    summary: 'Give a dead letter to its consumer once more',
    recentSignIn: 'always',
    params: ofService.extend({ id: recordId }),
    query: none,
    success: { 202: deadLetter.deadLetter },
  }),
  listAudit: route({
    method: 'GET',
    path: '/ops/services/:name/audit',
    owner: 'named',
    roles: ['admin'],
    summary: 'Who changed what in this service, newest first; of the gateway, who signed in and was refused what',
    params: ofProcess,
    query: audit.serviceAuditQuery,
    success: { 200: audit.serviceAuditPage },
  }),
  downloadAudit: route({
    method: 'GET',
    path: '/ops/services/:name/audit.jsonl',
    owner: 'named',
    roles: ['admin'],
    summary: 'The same, all of it, a line of JSON each; that it was taken along is written down too',
    params: ofProcess,
    query: audit.auditFilter,
    success: { 200: z.string() },
    mediaType: 'application/jsonl',
  }),
} satisfies Record<string, RouteSpec>;
