import { loadConfig } from '@ops/service-kit/config';
import { tokenConfig } from './config.ts';
import { printToken } from './print-token.ts';

/** A token for the system whose identity provider the environment names. */
await printToken(process.argv.slice(2), async () => {
  const { DEV_IDP_URL: issuer, TOKEN_CLIENT_ID: id, TOKEN_CLIENT_SECRET: secret } = loadConfig(tokenConfig);
  return { issuer, tokenClient: { id, secret } };
}).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
