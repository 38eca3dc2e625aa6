import { trustAuthority } from '@ops/service-kit/tls';
import { readSettings } from './settings.ts';
import { supervise } from './supervisor.ts';

const settings = readSettings();
trustAuthority({ TLS_CA: settings.authority });
process.exitCode = await supervise(settings).catch((error) => {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  return 1;
});
