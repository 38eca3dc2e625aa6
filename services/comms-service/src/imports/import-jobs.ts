import type { Job } from '@ops/service-kit/every';
import { startImports } from '@ops/service-kit/imports/import-jobs';
import type { ServiceParts } from '@ops/service-kit/service';
import type { Deps } from '../deps.ts';
import { customerImport } from './import-service.ts';

export const startImporting = ({ http, db, logger }: ServiceParts, deps: Deps): Job =>
  startImports({ db, logger, now: deps.now, committed: http.committed }, customerImport(deps));
