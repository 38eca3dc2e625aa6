import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ProblemError } from '@ops/service-kit/errors';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';

/** Stands in the built page where the nonce of each answer goes; named so in `vite.config.ts` of the UI. */
const noncePlace = /__NONCE__/g;

/** The parts of the ops UI as it was built. They have a digest of their content in their names and never change. */
export function uiFiles(directory: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const files = { index: false, redirect: false, dotfiles: 'ignore' } as const;
  router.use('/assets', express.static(join(directory, 'assets'), { ...files, immutable: true, maxAge: '1y' }));
  router.use('/icon.svg', express.static(join(directory, 'icon.svg'), { ...files, maxAge: '1d' }));
  return router;
}

/**
 * The page that names those files; browsers ask for it each time. It is served at every address that nothing else
 * answers, and finds out by itself what to show; a program that mistyped an address does not get it.
 */
export function uiPage(directory: string): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const page = pageOf(join(directory, 'index.html'));
  router.get('/', page);
  router.get('/{*page}', (req, res, next) => (asksForPage(req) ? page(req, res, next) : next()));
  return router;
}

const asksForPage = (req: Request): boolean =>
  req.accepts(['json', 'html']) === 'html' && !req.path.startsWith('/auth/') && !req.path.startsWith('/assets/');

function pageOf(file: string): RequestHandler {
  return async (_req, res) => {
    const page = await readFile(file, 'utf8').catch(notBuilt);
    const nonce = randomBytes(16).toString('base64');
    allowStyles(res, nonce);
    res.set('Cache-Control', 'no-store').type('html').send(page.replace(noncePlace, nonce));
  };
}

/** The component library writes its variables into an element of its own; scripts stay files of ours. */
function allowStyles(res: Response, nonce: string): void {
  const policy = String(res.getHeader('Content-Security-Policy'));
  res.set('Content-Security-Policy', policy.replace("style-src 'self'", `style-src 'self' 'nonce-${nonce}'`));
}

function notBuilt(cause: unknown): never {
  throw new ProblemError(503, 'ui_not_built', {
    detail: 'The pages were not built: pnpm --filter @ops/ops-ui build',
    cause,
  });
}
