import { tellAndEnd } from '@ops/service-kit/doctor/run-doctor';
import { composeExamined } from './doctor/compose-file.ts';
import { startExamined } from './doctor/start.ts';

/** Looks at what `npm start` runs, or before `docker compose up` at what that would be told. */
await tellAndEnd(process.argv.slice(3), ['compose'], (options) =>
  options.compose ? composeExamined(options) : startExamined(options),
);
