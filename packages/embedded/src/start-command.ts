import { readSettings } from './settings.ts';
import { supervise } from './supervisor.ts';

process.exitCode = await supervise(readSettings()).catch((error) => {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  return 1;
});
