import { simulatedMark } from '@ops/providers/provider-settings';
import type { RequestHandler, Response } from 'express';
import type { FaultSettings } from './faults.ts';
import type { Fate } from './message.ts';

/** Says who really answers, to whoever wants to know. */
export const marked: RequestHandler = (_req, res, next) => {
  res.set('Server', simulatedMark);
  next();
};

/** How one provider words what it answers to a request to send. */
interface Words {
  take(): Promise<{ status: number; body: object }>;
  failed: object;
  throttled: object;
}

/** Lets a request to send go the way fate has it. */
export async function undergo(fate: Fate, settings: FaultSettings, res: Response, words: Words): Promise<void> {
  if (fate === 'hang') return;
  if (fate === 'fail') return void res.status(settings.fail_status).json(words.failed);
  if (fate === 'throttle')
    return void res.status(429).set('Retry-After', String(settings.retry_after)).json(words.throttled);
  const { status, body } = await words.take();
  if (fate === 'cut') return void res.destroy();
  if (fate === 'delay') await new Promise((resolve) => setTimeout(resolve, settings.delay_ms));
  res.status(status).json(body);
}
