import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncApiDocument } from '@ops/contracts/asyncapi';
import { openApiDocument } from '@ops/contracts/openapi';
import express, { type RequestHandler, type Response, type Router } from 'express';
import type { Authenticate } from '../sign-in/authentication.ts';

const ownFiles = fileURLToPath(new URL('../../public/', import.meta.url));
const require = createRequire(import.meta.url);
const swaggerUi = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const swaggerUiFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** The generated documents, and a page that shows them; every byte of it comes from here. For whoever signs in, if so asked. */
export function docsRoutes(authenticate?: Authenticate): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  const openApi = JSON.stringify(openApiDocument());
  const asyncApi = JSON.stringify(asyncApiDocument());
  if (authenticate) {
    router.get('/docs', signInFirst(authenticate));
    router.get(['/openapi.json', '/asyncapi.json'], forSignedIn(authenticate));
  }
  router.get('/openapi.json', (_req, res) => void cached(res).type('json').send(openApi));
  router.get('/asyncapi.json', (_req, res) => void cached(res).type('json').send(asyncApi));
  router.get('/docs', (_req, res) => void cached(res).sendFile('docs.html', { root: ownFiles }));
  for (const file of ['docs.js', 'site.css'])
    router.get(`/${file}`, (_req, res) => void cached(res).sendFile(file, { root: ownFiles }));
  for (const file of swaggerUiFiles)
    router.get(`/docs/${file}`, (_req, res) => void cached(res).sendFile(file, { root: swaggerUi }));
  return router;
}

const signInFirst =
  (authenticate: Authenticate): RequestHandler =>
  (req, res, next) =>
    authenticate(req).then(
      () => next(),
      () => res.redirect(303, '/auth/login?return_to=/docs'),
    );

const forSignedIn =
  (authenticate: Authenticate): RequestHandler =>
  async (req, _res, next) => {
    await authenticate(req);
    next();
  };

/** In the reader's browser alone, since it may be for them alone. */
const cached = (res: Response) => res.set('Cache-Control', 'private, max-age=300');
