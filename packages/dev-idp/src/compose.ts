import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Logger } from '@ops/service-kit/logger';
import express from 'express';
import type { Config } from './config.ts';
import { interactions } from './interactions.ts';
import { loadKeys } from './keys.ts';
import { createProvider } from './provider.ts';

export interface DevIdp {
  port: number;
  stop(): Promise<void>;
}

export async function startDevIdp(config: Config, logger: Logger): Promise<DevIdp> {
  const provider = createProvider(config, await loadKeys(config.DATA_DIR), logger);
  const app = express().disable('x-powered-by');
  app.use(pageHeaders(config));
  app.get('/healthz', (_req, res) => void res.json({ status: 'ok' }));
  app.use(interactions(provider, logger));
  app.use(provider.callback());
  const server = createServer(app).listen(config.PORT, config.HOST);
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = promisify(server.close.bind(server))();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Pages load nothing, run nothing and sit in nobody's frame; their forms lead here and back to the gateway. */
function pageHeaders(config: Config): express.RequestHandler {
  const formTargets = `'self' ${new URL(config.GATEWAY_URL).origin}`;
  const policy = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`;
  return (_req, res, next) => {
    res.set({
      'Content-Security-Policy': policy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    next();
  };
}
