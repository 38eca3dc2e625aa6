import type { Logger } from '@ops/service-kit/logger';
import express from 'express';
import type Provider from 'oidc-provider';
import { errors } from 'oidc-provider';
import { errorPage, signInPage } from './pages.ts';
import { personOf } from './people.ts';

/** The page where a person is picked, and what picking does. */
export function interactions(provider: Provider, logger: Logger): express.Router {
  const router = express.Router();
  router.get('/interaction/:uid', async (req, res) => {
    const { uid } = await provider.interactionDetails(req, res);
    res.send(signInPage(uid));
  });
  router.post('/interaction/:uid', express.urlencoded({ extended: false, limit: '4kb' }), async (req, res) => {
    const { uid } = await provider.interactionDetails(req, res);
    const person = personOf(String(req.body?.person).trim());
    if (!person) return void res.status(422).send(signInPage(uid, 'That cannot be a customer id.'));
    await provider.interactionFinished(req, res, { login: { accountId: person.sub } });
  });
  router.use(failed(logger));
  return router;
}

const failed =
  (logger: Logger): express.ErrorRequestHandler =>
  (error, _req, res, _next) => {
    if (error instanceof errors.SessionNotFound)
      return void res.status(400).send(errorPage('This sign-in has expired. Go back and start again.'));
    logger.error({ err: error }, 'the sign-in page failed');
    res.status(500).send(errorPage('Something went wrong here. Go back and start again.'));
  };
