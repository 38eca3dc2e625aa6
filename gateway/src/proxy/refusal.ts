import type { IncomingMessage } from 'node:http';
import { toProblem } from '@ops/service-kit/errors';
import { problemAnswer, sendAnswer } from '@ops/service-kit/http-answers';
import type { Logger } from '@ops/service-kit/logger';
import { reportFailure, requestTrace } from '@ops/service-kit/request-log';
import type { ErrorRequestHandler, Request, Response } from 'express';
import { problemPage } from '../pages/pages.ts';

/** The end of every request that could not be answered. */
export function answerRefusals(
  logger: Logger,
  note: (error: unknown, req: Request, res: Response) => void,
): ErrorRequestHandler {
  return (error, req, res, _next) => {
    reportFailure(error, res, logger);
    note(error, req, res);
    const { requestId } = requestTrace(res);
    if (isSignInPage(req, res)) sendPage(res, error, requestId);
    else sendAnswer(res, problemAnswer(error, requestId));
    endUpload(req);
  };
}

/**
 * Whether a browser on its way through a sign-in asked: its person was led here by a redirect, and gets a page to read.
 */
const isSignInPage = (req: Request, res: Response) =>
  !res.headersSent && req.path.startsWith('/auth/') && req.accepts(['json', 'html']) === 'html';

function sendPage(res: Response, error: unknown, requestId: string): void {
  const { problem, headers } = toProblem(error, requestId);
  res.status(problem.status).set(headers).set('Cache-Control', 'no-store').type('html').send(problemPage(problem));
}

const lingerMs = 1000;

/**
 * A client still sending gets a moment to notice the answer and stop, its bytes thrown away; then it is cut off. Cut at
 * once, the answer would be lost on its way with the connection.
 */
function endUpload(req: IncomingMessage): void {
  if (req.complete) return;
  req.unpipe();
  req.resume();
  const timer = setTimeout(() => req.destroy(), lingerMs);
  req.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
