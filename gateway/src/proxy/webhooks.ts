import { clientNetworkHeader, mostWebhookBytes } from '@ops/contracts/webhooks';
import type { RequestHandler } from 'express';
import { webhookHeaders } from './forwarded-headers.ts';
import { createPace } from './pace.ts';
import type { ServiceProxy } from './proxy.ts';
import { networkOf } from './rate-limit.ts';
import { targetOf } from './request-target.ts';

/**
 * What providers post goes to webhook-ingest byte for byte, whoever sent it: only the signature over those bytes tells, and
 * only webhook-ingest can check it. No rate limit: a provider that is held up may give up. webhook-ingest bounds what one
 * network may leave unfinished, so it is told which it is.
 */
export function webhookRoutes(proxy: ServiceProxy): RequestHandler {
  const pace = createPace(32);
  return (req, res, next) => {
    const path = `/${targetOf(res).segments.join('/')}`;
    req.route = { path: '/webhooks/*' };
    const headers = { ...webhookHeaders(req.headers), [clientNetworkHeader]: networkOf(req) };
    proxy.forward(req, res, next, { service: 'webhook-ingest', headers, mostBytes: mostWebhookBytes(path), pace });
  };
}
