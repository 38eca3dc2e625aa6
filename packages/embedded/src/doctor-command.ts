import { tellAndEnd } from '@ops/service-kit/doctor/run-doctor';
import { composeExamined } from './doctor/compose-file.ts';
import { startExamined } from './doctor/start.ts';

// The launcher's own word stands before ours.
process.argv.splice(2, 1);

/** Looks at what `npm start` runs, or before `docker compose up` at what that would be told. */
await tellAndEnd(['compose'], (options) => (options.compose ? composeExamined(options) : startExamined(options)));
