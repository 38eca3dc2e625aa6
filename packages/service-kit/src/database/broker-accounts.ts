import { type BrokerAccount, brokerAccounts, brokerDefinitions } from '@ops/bus/rabbitmq/accounts';

/** What makes an account at the broker for each process, by the passwords that somebody else makes and keeps. */
export async function definitionsBy(passwordOf: (account: BrokerAccount) => Promise<string>) {
  const passwords = {} as Record<BrokerAccount, string>;
  for (const account of brokerAccounts) passwords[account] = await passwordOf(account);
  return brokerDefinitions(passwords);
}
