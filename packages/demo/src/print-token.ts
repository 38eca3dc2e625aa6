import { parseArgs } from 'node:util';
import { roles } from '@ops/contracts/roles';
import { requestToken, type TokenClient } from './request-token.ts';

const usage = `usage: --role ${roles.join('|')} [--sub NAME]   (for customer the customer id)`;

export interface Issuing {
  issuer: string;
  tokenClient: TokenClient;
}

/** Prints a token for whom the arguments name, and nothing else on stdout. */
export async function printToken(args: string[], find: () => Promise<Issuing>): Promise<void> {
  const { values } = parseArgs({ args, options: { role: { type: 'string' }, sub: { type: 'string' } } });
  if (!values.role || !(roles as readonly string[]).includes(values.role)) throw new Error(usage);
  if (values.role === 'customer' && !values.sub) throw new Error(`${usage}\nA customer needs --sub with its id.`);
  const { issuer, tokenClient } = await find();
  console.log(await requestToken(issuer, tokenClient, values.role, values.sub));
}
