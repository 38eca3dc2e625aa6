import { z } from 'zod';
import { me } from '../resources/me.ts';
import { daily, none, type RouteSpec, route } from '../route-spec.ts';

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
