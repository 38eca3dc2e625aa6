import type { Db } from '@ops/service-kit/database';
import { every, type Job } from '@ops/service-kit/every';
import { type ErasingDeps, goOnErasing } from './erasure-service.ts';

const everyMs = 2_000;

export const eraseInTime = (deps: ErasingDeps, db: Db): Job =>
  every(everyMs, (goesOn) => goOnErasing(deps, db, goesOn), deps.logger, { atOnce: true });
