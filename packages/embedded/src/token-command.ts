import { printToken } from '@ops/demo/print-token';
import { dataDirectory } from './settings.ts';
import { readRunFile } from './token.ts';

/** A token for the running system of this data directory. */
await printToken(process.argv.slice(3), async () => {
  const running = await readRunFile(dataDirectory());
  if (!running) throw new Error(`Nothing runs on ${dataDirectory()}: npm start, then once more.`);
  return { issuer: running.issuer, tokenClient: running.token_client };
}).catch((error) => {
  const refused = error instanceof TypeError && error.message === 'fetch failed';
  console.error(refused ? `Nothing runs on ${dataDirectory()} any more: npm start, then once more.` : error.message);
  process.exitCode = 1;
});
