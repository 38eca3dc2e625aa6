import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createThreads } from '@ops/service-kit/threads';
import express, { type RequestHandler, type Response, type Router } from 'express';
import type { Authenticate } from '../sign-in/authentication.ts';
import type { Documents } from './documents-worker.ts';

const ownFiles = fileURLToPath(new URL('../../public/', import.meta.url));
const require = createRequire(import.meta.url);
const swaggerUi = path.dirname(require.resolve('swagger-ui-dist/package.json'));
const swaggerUiFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** The generated documents, and a page that shows them; every byte of it comes from here. For whoever signs in, if so asked. */
export function docsRoutes(authenticate?: Authenticate): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  if (authenticate) {
    router.get('/docs', signInFirst(authenticate));
    router.get(['/openapi.json', '/asyncapi.json'], forSignedIn(authenticate));
  }
  const documents = generated();
  router.get('/openapi.json', async (_req, res) => sendJson(res, (await documents()).openApi));
  router.get('/asyncapi.json', async (_req, res) => sendJson(res, (await documents()).asyncApi));
  router.get('/docs', (_req, res) => void cached(res).sendFile('docs.html', { root: ownFiles }));
  for (const file of ['docs.js', 'site.css'])
    router.get(`/${file}`, (_req, res) => void cached(res).sendFile(file, { root: ownFiles }));
  for (const file of swaggerUiFiles)
    router.get(`/docs/${file}`, (_req, res) => void cached(res).sendFile(file, { root: swaggerUi }));
  return router;
}

/** Half a second's work and much memory, for what few ask for: done once somebody does, and aside. */
function generated(): () => Promise<Documents> {
  const inThread = createThreads({ atOnce: 1, milliseconds: 30_000, megabytes: 256 });
  let documents: Promise<Documents> | undefined;
  const generate = () => inThread<Documents>(new URL('./documents-worker.ts', import.meta.url), undefined);
  return () => {
    documents ??= generate().catch((error) => {
      documents = undefined;
      throw error;
    });
    return documents;
  };
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

const sendJson = (res: Response, text: string) => void cached(res).type('json').send(text);

/** In the reader's browser alone, since it may be for them alone. */
const cached = (res: Response) => res.set('Cache-Control', 'private, max-age=300');
