import { z } from 'zod';
import { me } from '../resources/me.ts';
import { endedSignIns, signIns } from '../resources/sign-in.ts';
import { daily, none, ofRecord, type RouteSpec, route } from '../route-spec.ts';

export const gatewayRoutes = {
  getMe: route({
    method: 'GET',
    path: '/ops/me',
    owner: 'gateway',
    roles: [...daily, 'automation', 'scheduler', 'customer'],
    summary: 'Who am I',
    params: none,
    query: none,
    success: { 200: me },
  }),
  listMySessions: route({
    method: 'GET',
    path: '/ops/me/sessions',
    owner: 'gateway',
    roles: [...daily, 'customer'],
    summary: 'Where I am signed in with a browser, last used first',
    params: none,
    query: none,
    success: { 200: signIns },
  }),
  endMySession: route({
    method: 'POST',
    path: '/ops/me/sessions/:id/end',
    owner: 'gateway',
    roles: [...daily, 'customer'],
    summary: 'Sign one of my browsers out, with its live stream; 404 when it is nobody of mine',
    params: ofRecord,
    query: none,
    success: { 200: endedSignIns },
  }),
  endMyOtherSessions: route({
    method: 'POST',
    path: '/ops/me/sessions/end-others',
    owner: 'gateway',
    roles: [...daily, 'customer'],
    summary: 'Sign all my browsers out but the one that asks',
    params: none,
    query: none,
    success: { 200: endedSignIns },
  }),
  stream: route({
    method: 'GET',
    path: '/ops/stream',
    owner: 'gateway',
    roles: daily,
    summary: 'Live changes as server-sent events; after a `reset` fetch again what is shown',
    params: none,
    query: none,
    success: { 200: z.string() },
    mediaType: 'text/event-stream',
  }),
} satisfies Record<string, RouteSpec>;
