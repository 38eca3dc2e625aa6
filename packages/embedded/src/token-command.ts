import { parseArgs } from 'node:util';
import { roles } from '@ops/contracts/roles';
import { dataDirectory } from './settings.ts';
import { readRunFile, requestToken } from './token.ts';

const usage = `usage: npm run token -- --role ${roles.join('|')} [--sub NAME]   (for customer the customer id)`;

/** Prints a token for the running system of this data directory, and nothing else on stdout. */
async function printToken(): Promise<void> {
  const { values } = parseArgs({
    args: process.argv.slice(3),
    options: { role: { type: 'string' }, sub: { type: 'string' } },
  });
  if (!values.role || !(roles as readonly string[]).includes(values.role)) throw new Error(usage);
  if (values.role === 'customer' && !values.sub) throw new Error(`${usage}\nA customer needs --sub with its id.`);
  const running = await readRunFile(dataDirectory());
  if (!running) throw new Error(`Nothing runs on ${dataDirectory()}: npm start, then once more.`);
  console.log(await requestToken(running.issuer, running.token_client, values.role, values.sub));
}

await printToken().catch((error) => {
  const refused = error instanceof TypeError && error.message === 'fetch failed';
  console.error(refused ? `Nothing runs on ${dataDirectory()} any more: npm start, then once more.` : error.message);
  process.exitCode = 1;
});
