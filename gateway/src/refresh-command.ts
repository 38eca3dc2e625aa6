import { loadConfig } from '@ops/service-kit/config';
import { runCommand } from '@ops/service-kit/lifecycle';
import { completeRefresh, nightlyRefreshConfig } from './refresh/nightly-refresh.ts';

/** What a cluster runs every night. */
await runCommand('nightly-refresh', async (logger) => {
  const { run_id, as_of, counts } = await completeRefresh(loadConfig(nightlyRefreshConfig), logger);
  logger.info({ run_id, as_of, counts }, 'the refresh is completed');
});
