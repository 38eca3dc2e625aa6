import { loadConfig } from '@ops/service-kit/config';
import { runCommand } from '@ops/service-kit/lifecycle';
import { trustAuthority } from '@ops/service-kit/tls';
import { completeRefresh, nightlyRefreshConfig } from './refresh/nightly-refresh.ts';

/** What a cluster runs every night. */
await runCommand('nightly-refresh', async (logger) => {
  const config = loadConfig(nightlyRefreshConfig);
  trustAuthority(config);
  const { run_id, as_of, counts } = await completeRefresh(config, logger);
  logger.info({ run_id, as_of, counts }, 'the refresh is completed');
});
