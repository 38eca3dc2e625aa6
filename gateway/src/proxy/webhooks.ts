import type { RequestHandler } from 'express';
import { webhookHeaders } from './forwarded-headers.ts';
import type { ServiceProxy } from './proxy.ts';
import { targetOf } from './request-target.ts';

const mib = 1024 * 1024;

/**
 * What providers post goes to webhook-ingest byte for byte, whoever sent it: only the signature over those bytes tells, and
 * only webhook-ingest can check it. No rate limit: a provider that is held up may give up.
 */
export function webhookRoutes(proxy: ServiceProxy): RequestHandler {
  return (req, res, next) => {
    const [, kind] = targetOf(res).segments;
    req.route = { path: '/webhooks/*' };
    const mostBytes = kind === 'email' ? 40 * mib : mib;
    proxy.forward(req, res, next, { service: 'webhook-ingest', headers: webhookHeaders(req.headers), mostBytes });
  };
}
