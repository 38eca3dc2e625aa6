import { z } from 'zod';
import * as deadLetter from '../resources/dead-letter.ts';
import { none, type RouteSpec, route, serviceNames } from '../route-spec.ts';
import { recordId } from '../text.ts';

const ofService = z.strictObject({ name: z.enum(serviceNames) });

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
    params: ofService.extend({ id: recordId }),
    query: none,
    success: { 202: deadLetter.deadLetter },
  }),
} satisfies Record<string, RouteSpec>;
